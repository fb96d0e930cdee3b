// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.ROUNDS;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.need;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.options;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.plotIsWellFormed;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.row;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.series;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** The whole benchmark with few peers, beside the libfabric of the machine. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class AvBesideLibfabricTest {
  @Test
  void besideLibfabric(@TempDir Path directory) throws Exception {
    need(directory);
    BenchmarkReport report = AvBenchmark.run(options(1000, true), (what, done, steps) -> {});
    assertThat(report.libfabric()).contains("udp", "tcp");
    for (Quantity quantity :
        List.of(
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
            Quantity.LOOKUP,
            Quantity.REMOVE_IN_ORDER)) {
      assertThat(series(row(report, quantity), Side.UDP).rounds()).hasSize(ROUNDS);
      assertThat(row(report, quantity).ratio()).isPresent();
      assertThat(row(report, quantity).disturbed(Side.UDP)).as(quantity.id()).isFalse();
    }
    for (Quantity quantity :
        List.of(
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, false),
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
            Quantity.LOOKUP,
            Quantity.FIND,
            Quantity.FIND_IN_TURN,
            Quantity.REMOVE_IN_ORDER,
            Quantity.REMOVE_RANDOMLY,
            Quantity.SYMMETRIC_ARRAY)) {
      Row row = row(report, quantity);
      assertThat(series(row, Side.MEMORY).rounds()).as(quantity.id()).hasSize(1);
      assertThat(series(row, Side.MEMORY).least()).as(quantity.id()).isPositive();
      assertThat(row.disturbed(Side.MEMORY)).as(quantity.id()).isFalse();
    }
    assertThat(series(row(report, Quantity.UDP_WITH_HINT), Side.UDP).rounds()).hasSize(1);
    assertThat(series(row(report, Quantity.UDP_WITHOUT_HINT), Side.UDP).rounds()).hasSize(1);
    assertThat(series(row(report, Quantity.LOOKUP), Side.TCP).rounds()).hasSize(1);
    for (Quantity quantity :
        List.of(Quantity.CHURN, Quantity.SYMMETRIC_ARRAY, Quantity.INSERT_SINGLY)) {
      assertThat(series(row(report, quantity), Side.UDP).rounds()).hasSize(1);
    }
    plotIsWellFormed(report, "class=\"udp\"", "class=\"tcp\"", "times ofi4j", "class=\"memory\"");
  }

  /** As with sizes above {@link BenchmarkOptions#MOST_COMPARED} only. */
  @Test
  void libfabricThatTookNoPartIsNotDescribed() {
    try (OpenProcesses processes = new OpenProcesses()) {
      assertThat(new Libfabric(options(1000, true), processes).describe()).isNull();
    }
  }
}
