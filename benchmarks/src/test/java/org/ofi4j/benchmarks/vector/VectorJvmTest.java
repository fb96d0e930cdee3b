// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.benchmarks.vector.AvBenchmarkTest.series;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.TimeSource;

/** What a JVM of the benchmark of vectors is told to do. */
class VectorJvmTest {
  @Test
  void whatGoesWrongInAFreshJvmIsSaid() throws Exception {
    try (LineProcess process = start(List.of())) {
      assertThatThrownBy(() -> process.tell("round 0"))
          .hasMessageContaining("nothing was loaded")
          .hasMessageContaining("\"round 0\"");
      process.tell("load 10 SCATTERED 1");
      assertThatThrownBy(() -> process.tell("round 0")).hasMessageContaining("without a round");
    }
  }

  @Test
  void memoryIsLookedAtInFreshProcesses() throws Exception {
    Results results = new Results();
    try (LineProcess process = start(JvmCommand.forMemory(300_000))) {
      process.tell("resident 300000 300000", results);
    }
    assertThat(results.rows())
        .hasSize(3)
        .filteredOn(row -> row.quantity().id().startsWith("resident-scattered"))
        .hasSize(2)
        .allSatisfy(
            row -> assertThat(series(row, Side.OFI4J).median()).as("bytes").isBetween(5.0, 90.0));
  }

  private static LineProcess start(List<String> options) throws IOException {
    List<String> command = JvmCommand.of(VectorJvm.class, options);
    command.add(TimeSource.CPU.name());
    return new LineProcess("a JVM", 300, command);
  }
}
