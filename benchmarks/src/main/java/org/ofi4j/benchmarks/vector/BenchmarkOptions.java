// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.List;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What to measure.
 *
 * @param sizes numbers of peers, each from 1 to {@link #MOST}, the smallest first
 * @param libfabric whether to do the same on libfabric, at sizes up to {@link #MOST_COMPARED}
 * @param rounds how many rounds after warm-up
 * @param shown with how many peers that is done at most on which no bar rests
 * @param time what time is measured by
 */
public record BenchmarkOptions(
    List<Long> sizes, boolean libfabric, int rounds, int shown, TimeSource time) {
  /** Beyond this ofi4j is measured alone, and in fewer rounds. */
  public static final long MOST_COMPARED = 2_000_000;

  /** The most peers: the lists of the benchmark take 6 GB then. */
  public static final long MOST = 100_000_000;

  /** Keeps a copy. */
  public BenchmarkOptions {
    sizes = List.copyOf(sizes);
    for (long size : sizes) {
      if (size < 1 || size > MOST) {
        throw new IllegalArgumentException("sizes: " + size + " is not in 1 to " + MOST);
      }
    }
    if (shown < 1) {
      throw new IllegalArgumentException("shown-peers: " + shown + " must be at least 1");
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds: " + rounds + " must be at least 1");
    }
  }
}
