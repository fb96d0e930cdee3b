// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.series;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.process.TimeSource;

/** What a JVM of the benchmark of vectors is told to do. */
class VectorJvmTest {
  @Test
  void largeNumbersComeInParts() {
    Results results = new Results();
    FigureSink figures = figure -> results.add(figure, true);
    LargeSize large = new LargeSize(figures, TimeSource.CPU, 2, 70_000);
    large.measure(AddressPattern.SCATTERED);
    large.measure(AddressPattern.CONSECUTIVE);
    assertThat(results.rows())
        .extracting(row -> row.quantity().id())
        .contains("lookup", "find", "remove-in-order", "remove-randomly", "insert-consecutive");
  }

  @Test
  void whatGoesWrongInAFreshJvmIsSaid() throws Exception {
    try (FreshJvmProcess process =
        new FreshJvmProcess(VectorJvm.class, TimeSource.CPU, List.of())) {
      assertThatThrownBy(() -> process.tell("round 0"))
          .hasMessageContaining("nothing was loaded")
          .hasMessageContaining("\"round 0\"");
      process.tell("load 10 SYMMETRIC 0 0");
      assertThatThrownBy(() -> process.tell("round 0")).hasMessageContaining("without a round");
    }
  }

  @Test
  void memoryIsLookedAtInFreshProcesses() throws Exception {
    Results results = new Results();
    FigureSink figures = figure -> results.add(figure, true);
    try (FreshJvmProcess process =
        new FreshJvmProcess(VectorJvm.class, TimeSource.CPU, List.of())) {
      process.tell("resident 300000 300000", figures);
    }
    new MemorySweep(figures).run(80_000);
    assertThat(results.rows())
        .filteredOn(row -> row.quantity().id().startsWith("resident-scattered"))
        .hasSize(2)
        .allSatisfy(
            row -> assertThat(series(row, Side.OFI4J).median()).as("bytes").isBetween(5.0, 90.0));
    assertThat(results.rows()).hasSize(5);
  }
}
