// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.util.List;
import org.ofi4j.benchmarks.vector.BenchmarkOptions;

/**
 * What to measure of named vectors.
 *
 * @param sizes numbers of peers, each at least 1, the smallest first
 * @param processes the most processes that share a vector, 1 to {@link #MOST_PROCESSES}
 * @param rounds how many rounds after warm-up
 */
public record NamedOptions(List<Long> sizes, int processes, int rounds) {
  /** The most processes: each is a JVM. */
  public static final int MOST_PROCESSES = 128;

  /** Keeps a copy. */
  public NamedOptions {
    sizes = List.copyOf(sizes);
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("sizes: none is given");
    }
    for (long size : sizes) {
      if (size < 1 || size > BenchmarkOptions.MOST) {
        throw new IllegalArgumentException(
            "sizes: " + size + " is not in 1 to " + BenchmarkOptions.MOST);
      }
    }
    if (processes < 1 || processes > MOST_PROCESSES) {
      throw new IllegalArgumentException(
          "processes " + processes + " is not within 1 to " + MOST_PROCESSES);
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds: " + rounds + " must be at least 1");
    }
  }
}
