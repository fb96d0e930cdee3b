// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.List;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What to measure.
 *
 * @param sizes numbers of peers, each at least 1
 * @param libfabric whether to do the same on libfabric, at sizes up to {@link #MOST_COMPARED}
 * @param rounds how many rounds after warm-up
 * @param otherRounds how many of libfabric's for what no bar rests on; 1 for a short run, in which
 *     this library does as many as a fraction of a second allows, and not all
 * @param shown with how many peers that is done at most: it would take more time than all the rest
 * @param range how many addresses insertsym inserts at once where it needs no array
 * @param exchanges how many exchanges a vector of a few peers has had before another one is timed
 * @param time what time is measured by
 */
public record BenchmarkOptions(
    List<Long> sizes,
    boolean libfabric,
    int rounds,
    int otherRounds,
    int shown,
    int range,
    int exchanges,
    TimeSource time) {
  /** Beyond this ofi4j is measured alone. */
  public static final long MOST_COMPARED = 2_000_000;

  /** The most peers: what a vector can hold. */
  public static final long MOST = Integer.MAX_VALUE - 1;

  /** Keeps a copy. */
  public BenchmarkOptions {
    sizes = List.copyOf(sizes);
    for (long size : sizes) {
      if (size < 1 || size > MOST) {
        throw new IllegalArgumentException("sizes: " + size + " is not in 1 to " + MOST);
      }
    }
    if (shown < 1 || shown > MOST) {
      throw new IllegalArgumentException("shown: " + shown + " is not in 1 to " + MOST);
    }
    if (range < 1) {
      throw new IllegalArgumentException("range: " + range + " must be at least 1");
    }
    if (exchanges < 1) {
      throw new IllegalArgumentException("exchanges: " + exchanges + " must be at least 1");
    }
    if (rounds < 1 || otherRounds < 1) {
      throw new IllegalArgumentException(
          "rounds " + rounds + " and " + otherRounds + " must be at least 1");
    }
  }
}
