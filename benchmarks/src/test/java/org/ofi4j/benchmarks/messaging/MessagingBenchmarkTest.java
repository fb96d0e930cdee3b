// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Percentage.withPercentage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.vector.AvBenchmarkTest;

/** The whole benchmark of messages with few rounds: both sides check what they receive. */
class MessagingBenchmarkTest {
  private static final int ROUNDS = 2;
  private static final List<Integer> SIZES = List.of(1, 20_000);

  @Test
  void ofi4jAlone() throws Exception {
    List<String> titles = new ArrayList<>();
    BenchmarkReport report =
        MessagingBenchmark.run(
            options(SIZES, Set.of(Contestant.OFI4J), ROUNDS),
            (what, done, steps) -> {
              titles.add(what);
              assertThat(done).isLessThan(steps);
            });
    assertThat(titles).doesNotHaveDuplicates().contains("round 1 of 2");
    assertThat(report.libfabric()).isNull();
    assertThat(report.topic()).isEqualTo(Topic.MESSAGES);
    assertThat(report.rows()).hasSize(SIZES.size() * 6 + 1);
    for (Row row : report.rows()) {
      assertThat(row.of(Side.TCP)).isNull();
      assertThat(series(row, Side.OFI4J).rounds()).hasSize(ROUNDS);
      assertThat(series(row, Side.OFI4J).least()).as("%s", row.quantity().id()).isPositive();
    }
    for (int size : SIZES) {
      double median = median(report, "round-trip", size, Side.OFI4J);
      assertThat(median(report, "round-trip-99", size, Side.OFI4J)).isGreaterThanOrEqualTo(median);
      assertThat(median(report, "bandwidth", size, Side.OFI4J))
          .isCloseTo(size * median(report, "messages", size, Side.OFI4J), withPercentage(0.1));
    }
    assertThat(report.bars()).hasSize(6).allMatch(bar -> bar.met() == null);
  }

  @Test
  void besideLibfabric(@TempDir Path directory) throws Exception {
    AvBenchmarkTest.need(directory);
    BenchmarkReport report =
        MessagingBenchmark.run(
            options(SIZES, Set.of(Contestant.OFI4J, Contestant.LIBFABRIC), 1),
            (what, done, steps) -> {});
    assertThat(report.libfabric()).containsPattern("^[12]\\.[0-9]+ (net|tcp)$");
    for (Row row : report.rows()) {
      assertThat(series(row, Side.TCP).rounds()).hasSize(1);
      assertThat(row.ratio(Side.TCP)).isPresent();
    }
    assertThat(report.bars())
        .hasSize(6)
        .allMatch(bar -> bar.met() != null && bar.allowed() != null);
    AvBenchmarkTest.plotIsWellFormed(report, "class=\"tcp\"", "20,000 bytes", "times ofi4j");
  }

  @Test
  void contestantsAlternateInOneRun() throws Exception {
    Set<Contestant> contestants =
        EnumSet.of(
            Contestant.OFI4J,
            Contestant.OFI4J_BLOCKING,
            Contestant.NETTY_NIO,
            Contestant.BATCHED_CHANNEL);
    BenchmarkReport report =
        MessagingBenchmark.run(options(List.of(64), contestants, 1), (what, done, steps) -> {});
    Row rate = row(report, "messages", 64);
    for (Contestant contestant : contestants) {
      assertThat(series(rate, contestant.side()).least()).isPositive();
    }
    assertThat(rate.ratio(Side.OFI4J_BLOCKING, Side.NETTY_NIO)).isPresent();
    assertThat(row(report, "messages-more", 64).of(Side.NETTY_NIO)).isNull();
    // Only counted where perf may count.
    report.rows().stream()
        .filter(row -> row.quantity().equals(Quantity.SYSTEM_CALLS))
        .forEach(row -> {
          assertThat(row.of(Side.OFI4J)).isNull();
          assertThat(series(row, Side.BATCHED_CHANNEL).median()).isGreaterThan(1);
        });
    AvBenchmarkTest.plotIsWellFormed(report, "class=\"batchedChannel\"", "Netty, NIO");
  }

  @Test
  void barsHoldEachSizeAgainstLibfabric() {
    List<Bar> bars =
        MessagingBars.of(
            List.of(
                row(Quantity.ROUND_TRIP, 8, 8, 10),
                row(Quantity.ROUND_TRIP, 9, 11, 10),
                row(Quantity.ROUND_TRIP_TAIL, 8, 11, 10),
                row(Quantity.ROUND_TRIP_TAIL, 9, 12, 10),
                row(Quantity.MESSAGES, 4096, 2, 1),
                row(Quantity.MESSAGES, 4097, 1, 2),
                row(Quantity.BANDWIDTH, 4096, 1, 2),
                row(Quantity.BANDWIDTH, 4097, 1, 2)),
            true);
    assertThat(bars).extracting(Bar::met).containsExactly(true, false, true, false, true, false);
    assertThat(bars).extracting(Bar::measured).containsExactly(0.8, 1.1, 1.1, 1.2, 2.0, 0.5);
    assertThat(bars).extracting(Bar::size).containsExactly(8L, 9L, 8L, 9L, 4096L, 4097L);
    assertThat(bars).extracting(Bar::allowed).containsExactly(10.0, 10.0, 11.0, 11.0, 1.0, 2.0);
  }

  @Test
  void overLibfabricItselfTheBarsAreWhatCallsAndCopiesMayCost() {
    List<Bar> bars =
        MessagingBars.of(
            List.of(
                row(Quantity.ROUND_TRIP, 8, 11, 10),
                row(Quantity.ROUND_TRIP, 9, 12, 10),
                row(Quantity.ROUND_TRIP_TAIL, 8, 20, 10),
                row(Quantity.MESSAGES, 64, 3, 4),
                row(Quantity.MESSAGES, 4096, 2, 4),
                row(Quantity.BANDWIDTH, 64, 1, 4),
                row(Quantity.BANDWIDTH, 4097, 9, 10)),
            false);
    assertThat(bars).extracting(Bar::met).containsExactly(true, false, true, false, true);
    assertThat(bars).extracting(Bar::size).containsExactly(8L, 9L, 64L, 4096L, 4097L);
  }

  private static Row row(Quantity quantity, long size, double ours, double theirs) {
    return new Row(
        quantity,
        size,
        Map.of(
            Side.OFI4J, new Series(List.of(ours)),
            Side.TCP, new Series(List.of(theirs))));
  }

  @Test
  void whatCannotBeMeasuredIsRefused() {
    Set<Contestant> alone = Set.of(Contestant.OFI4J);
    assertThatThrownBy(() -> options(List.of(), alone, 1)).hasMessageContaining("none");
    assertThatThrownBy(() -> options(List.of(1), Set.of(), 1)).hasMessageContaining("none");
    assertThatThrownBy(() -> options(List.of(0), alone, 1))
        .hasMessageContaining("0 is not in 1 to 67108864");
    assertThatThrownBy(() -> options(List.of(1), alone, 0)).hasMessageContaining("rounds: 0");
  }

  private static MessagingOptions options(
      List<Integer> sizes, Set<Contestant> contestants, int rounds) {
    return new MessagingOptions(sizes, contestants, rounds, MessagingOptions.TCP);
  }

  private static double median(BenchmarkReport report, String id, int size, Side side) {
    return series(row(report, id, size), side).median();
  }

  private static Row row(BenchmarkReport report, String id, int size) {
    return report.rows().stream()
        .filter(row -> row.quantity().id().equals(id) && row.size() == size)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row " + id));
  }

  private static Series series(Row row, Side side) {
    Series series = row.of(side);
    assertThat(series).as("%s of %s", row.quantity().id(), side).isNotNull();
    return series;
  }
}
