// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.vector.AvBenchmarkTest;

/** Costs of messages with few of them: all sides check what they receive. */
class CostsBenchmarkTest {
  private static final int CONNECTIONS = 20;

  /** All costs but those that need jars and the command. */
  private static final Set<Cost> COSTS =
      EnumSet.of(Cost.FIRST_MESSAGE, Cost.WARM_UP, Cost.STREAM, Cost.CONNECTIONS);

  @Test
  void eachCostHasAFigureOfEachContestant() throws Exception {
    Set<Contestant> contestants = EnumSet.of(Contestant.OFI4J_BLOCKING, Contestant.NETTY_NIO);
    BenchmarkReport report =
        CostsBenchmark.run(
            options(COSTS, contestants, 2),
            (what, done, steps) -> assertThat(done).isLessThan(steps));
    assertThat(report.topic()).isEqualTo(Topic.COSTS);
    assertThat(report.rows())
        .extracting(Row::quantity)
        .containsExactly(
            Quantity.FIRST_MESSAGE,
            Quantity.ROUND_TRIP_EARLY,
            Quantity.ROUND_TRIP_LATE,
            Quantity.ROUND_TRIP_EARLY_TO_LATE,
            Quantity.STREAMED,
            Quantity.IDLE_HEAP,
            Quantity.REQUEST);
    for (Row row : report.rows()) {
      assertThat(row.sides()).containsOnlyKeys(Side.OFI4J_BLOCKING, Side.NETTY_NIO);
    }
    assertThat(report.rows().getFirst().sides().get(Side.OFI4J_BLOCKING).rounds()).hasSize(2);
    assertThat(report.rows().getLast().size()).isEqualTo(CONNECTIONS);
    AvBenchmarkTest.plotIsWellFormed(report, "class=\"nettyNio\"", "20 connections");
  }

  private static CostsOptions options(Set<Cost> costs, Set<Contestant> contestants, int rounds) {
    return new CostsOptions(
        costs, contestants, rounds, MessagingOptions.TCP, CONNECTIONS, 1, List.of());
  }

  @Test
  void onlyTheChosenCostIsMeasured() throws Exception {
    List<String> stages = new ArrayList<>();
    BenchmarkReport report =
        CostsBenchmark.run(
            options(Set.of(Cost.STREAM), Set.of(Contestant.BATCHED_CHANNEL), 1),
            (what, done, steps) -> stages.add(what));
    assertThat(stages).containsExactly("streams");
    assertThat(report.rows()).extracting(Row::quantity).containsExactly(Quantity.STREAMED);
    Row row = report.rows().getFirst();
    assertThat(row.sides()).containsOnlyKeys(Side.BATCHED_CHANNEL);
    assertThat(row.sides().get(Side.BATCHED_CHANNEL).median()).isPositive();
  }

  /** A few round trips: where cores are scarce, each takes two turns of the scheduler. */
  @Test
  void fiPingpongPrintsAMean(@TempDir Path directory) throws Exception {
    AvBenchmarkTest.need(directory);
    try (OpenProcesses processes = new OpenProcesses();
        MessagingPair pair =
            MessagingPair.start(
                Contestant.LIBFABRIC, 64, MessagingOptions.TCP, directory, processes)) {
      String provider = pair.version().replaceFirst(".* ", "");
      FirstRoundTrips first = FirstRoundTrips.run(FirstRoundTrips.FI_PINGPONG, provider, 100);
      assertThat(first.meanMicros()).isPositive();
    } catch (LibfabricUnavailableException missing) {
      assumeTrue(System.getProperty("ofi4j.interop", "").equals("required"), missing.getMessage());
      throw missing;
    }
  }

  @Test
  void aProgramThatPrintsNoFiguresIsNamed() {
    assertThatThrownBy(() -> FirstRoundTrips.run(List.of("echo", "unusable"), "tcp", 7))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("unusable -p tcp -e rdm -S 64 -I 7 -B ");
    assertThatThrownBy(() -> FirstRoundTrips.run(List.of("no-such-program"), "tcp", 7))
        .isInstanceOf(LibfabricUnavailableException.class)
        .hasMessageContainingAll("no-such-program", "apt-get install libfabric-bin");
  }

  @Test
  void theFirstMessageOfAJvmWithACacheHasAFigure() throws Exception {
    CostsOptions options =
        options(Set.of(Cost.FIRST_MESSAGE_CACHED), Set.of(Contestant.OFI4J_BLOCKING), 1);
    BenchmarkReport report = CostsBenchmark.run(options, (what, done, steps) -> {});
    assertThat(report.rows())
        .extracting(Row::quantity)
        .containsExactly(Quantity.FIRST_MESSAGE_CACHED);
    assertThat(report.rows().getFirst().sides().get(Side.OFI4J_BLOCKING).median()).isPositive();
  }

  /** The class path of the tests has directories, for which the JVM makes no cache. */
  @Test
  void withoutACacheThereIsNoFigure() {
    CostsOptions options =
        options(Set.of(Cost.FIRST_MESSAGE_CACHED), Set.of(Contestant.NETTY_NIO), 1);
    assertThatThrownBy(() -> CostsBenchmark.run(options, (what, done, steps) -> {}))
        .hasMessageContaining("made no ahead-of-time cache; its path must consist of jars");
  }

  @ParameterizedTest
  @EnumSource(names = {"OFI4J", "OFI4J_AUTO", "NETTY_NIO"})
  void aServerAnswersAllClients(Contestant contestant) throws Exception {
    try (OpenProcesses processes = new OpenProcesses()) {
      CrowdPair crowd = new CrowdPair(contestant, processes);
      crowd.connect(1);
      crowd.connect(CONNECTIONS);
      assertThat(crowd.request(1_000)).isGreaterThanOrEqualTo(Duration.ZERO);
      assertThat(crowd.heap()).isPositive();
    }
  }

  @Test
  void whatCannotBeMeasuredIsRefused() {
    Set<Contestant> alone = Set.of(Contestant.OFI4J_BLOCKING);
    assertThatThrownBy(() -> options(Set.of(), Set.of(), 1)).hasMessageContaining("none");
    for (List<Integer> numbers : List.of(List.of(0, 1, 1), List.of(1, 0, 1), List.of(1, 1, 0))) {
      assertThatThrownBy(() ->
              new CostsOptions(
                  Set.of(),
                  alone,
                  numbers.get(0),
                  "tcp",
                  numbers.get(1),
                  numbers.get(2),
                  List.of()))
          .hasMessageContaining("0 must be at least 1");
    }
    assertThatThrownBy(() -> options(Set.of(Cost.FIRST_ROUND_TRIPS), alone, 1))
        .hasMessage("only: first-round-trips is not measured over tcp of [ofi4j-blocking]");
    assertThatThrownBy(() -> options(Set.of(Cost.TO_ITSELF), alone, 1))
        .hasMessageContaining("to-itself is not measured over tcp");
  }
}
