// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run found.
 *
 * @param machine processor, cores, memory, system
 * @param java the JVM
 * @param libfabric the version and providers of libfabric, or null without a comparison
 * @param topic what it is about
 * @param rows all figures, in the order of measurement
 * @param bars all bars, measured or not
 * @param seconds how long it took
 */
public record BenchmarkReport(
    String machine,
    String java,
    @Nullable String libfabric,
    Topic topic,
    List<Row> rows,
    List<Bar> bars,
    double seconds) {
  /** Keeps copies. */
  public BenchmarkReport {
    rows = List.copyOf(rows);
    bars = List.copyOf(bars);
  }

  /** What a run found on this machine since it began, by {@link System#nanoTime}. */
  public static BenchmarkReport since(
      long begin, @Nullable String libfabric, Topic topic, List<Row> rows, List<Bar> bars) {
    double seconds = (System.nanoTime() - begin) / 1e9;
    return new BenchmarkReport(
        Machine.describe(), Machine.java(), libfabric, topic, rows, bars, seconds);
  }
}
