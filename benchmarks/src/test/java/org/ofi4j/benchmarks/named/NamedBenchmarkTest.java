// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.ScratchDirectory;
import org.ofi4j.benchmarks.vector.AvBenchmarkTest;

/** The whole benchmark of vectors that processes share, with few peers and rounds. */
class NamedBenchmarkTest {
  private static final int ROUNDS = 2;
  private static final List<Long> SIZES = List.of(3000L);

  @Test
  void everythingIsMeasuredAndNothingIsLeft() throws Exception {
    List<Path> before = left();
    List<String> titles = new ArrayList<>();
    BenchmarkReport report =
        NamedBenchmark.run(
            new NamedOptions(SIZES, 2, ROUNDS),
            (what, done, steps) -> {
              titles.add(what);
              assertThat(done).isLessThan(steps);
            });
    assertThat(titles).doesNotHaveDuplicates().contains("3,000 peers: writers");
    assertThat(report.topic()).isEqualTo(Topic.NAMED_VECTORS);
    for (long size : SIZES) {
      for (Opening opening : Opening.values()) {
        Row row = row(report, opening.quantity(), size);
        assertThat(series(row, Side.OFI4J).rounds()).hasSize(ROUNDS);
        double first = series(row, Side.OFI4J_FIRST).median();
        double whole = series(row(report, opening.withDomain(), size), Side.OFI4J_FIRST).median();
        assertThat(whole).as("%s", opening).isGreaterThan(first);
      }
    }
    long most = SIZES.getLast();
    for (Quantity quantity : NamedBars.LOOKUPS) {
      Row row = row(report, quantity, most);
      assertThat(series(row, Side.OFI4J).rounds()).hasSize(ROUNDS);
      assertThat(series(row, Side.PRIVATE).rounds()).hasSize(ROUNDS);
    }
    for (int processes : new int[] {1, 2}) {
      assertThat(
              series(row(report, Quantity.sharedPrivately(processes), most), Side.OFI4J).rounds())
          .hasSize(processes);
      for (int batch : new int[] {1, 1000}) {
        double nanos = ours(report, Quantity.insertShared(processes, batch));
        double rate = ours(report, Quantity.insertSharedRate(processes, batch));
        assertThat(nanos).isPositive();
        assertThat(rate).isPositive();
        assertThat(ours(report, Quantity.insertSharedWorst(processes, batch)) * 1e6)
            .isGreaterThanOrEqualTo(nanos);
      }
    }
    assertThat(series(row(report, Quantity.insertShared(1, 1), most), Side.PRIVATE).rounds())
        .hasSize(ROUNDS);
    assertThat(report.bars()).hasSize(12).allMatch(bar -> bar.met() != null && bar.size() == most);
    AvBenchmarkTest.plotIsWellFormed(
        report, "class=\"private\"", "class=\"ofi4jFirst\"", "open by name, 3k", "times ofi4j");
    assertThat(left()).as("directories of the run").isSubsetOf(before);
  }

  private static List<Path> left() throws Exception {
    List<Path> found = new ArrayList<>();
    for (String parent : List.of("/dev/shm", System.getProperty("java.io.tmpdir"))) {
      if (Files.isDirectory(Path.of(parent))) {
        try (Stream<Path> files = Files.list(Path.of(parent))) {
          files
              .filter(file -> file.getFileName().toString().startsWith(ScratchDirectory.NAME))
              .forEach(found::add);
        }
      }
    }
    return found;
  }

  private static Row row(BenchmarkReport report, Quantity quantity, long size) {
    return report.rows().stream()
        .filter(row -> row.quantity().equals(quantity) && row.size() == size)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row " + quantity.id() + " of " + size));
  }

  private static Series series(Row row, Side side) {
    return Objects.requireNonNull(row.of(side), () -> row + " has no " + side);
  }

  private static double ours(BenchmarkReport report, Quantity quantity) {
    return series(row(report, quantity, SIZES.getLast()), Side.OFI4J).median();
  }

  private static Row row(Quantity quantity, long size, Map<Side, List<Double>> sides) {
    Map<Side, Series> series = new EnumMap<>(Side.class);
    sides.forEach((side, rounds) -> series.put(side, new Series(rounds)));
    return new Row(quantity, size, series);
  }

  private static Bar bar(List<Bar> bars, Quantity quantity, String text) {
    return bars.stream()
        .filter(bar -> bar.quantity().equals(quantity) && bar.text().contains(text))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void barsAreOfAMillionPeersAndSayWhatWouldMeetThem() {
    Quantity copy = Opening.SAVED_COPY.quantity();
    List<Bar> bars =
        NamedBars.of(
            List.of(
                row(
                    copy,
                    1_000_000,
                    Map.of(
                        Side.OFI4J, List.of(5.5, 6.0, 6.5),
                        Side.OFI4J_FIRST, List.of(59.0),
                        Side.MEMORY, List.of(4.0))),
                row(copy, 16_000_000, Map.of(Side.OFI4J, List.of(100.0))),
                row(
                    Opening.SAVED_READ.quantity(),
                    1_000_000,
                    Map.of(Side.OFI4J, List.of(1.5), Side.OFI4J_FIRST, List.of(61.0))),
                row(
                    Quantity.SHARED_LOOKUP,
                    1_000_000,
                    Map.of(
                        Side.OFI4J, List.of(6.0, 12.0, 24.0),
                        Side.PRIVATE, List.of(5.0, 6.0, 24.0))),
                row(
                    Quantity.SHARED_FIND,
                    1_000_000,
                    Map.of(Side.OFI4J, List.of(150.0), Side.PRIVATE, List.of(100.0)))));
    assertThat(bars).hasSize(12);

    Bar warm = bar(bars, copy, "at most 5 ms");
    assertThat(warm.measured()).isEqualTo(6.0);
    assertThat(warm.size()).isEqualTo(1_000_000);
    assertThat(warm.met()).isFalse();
    assertThat(warm.allowed()).isEqualTo(5.0);
    assertThat(bar(bars, copy, "first").met()).isTrue();

    Bar first = bar(bars, Opening.SAVED_READ.quantity(), "first");
    assertThat(first.met()).isFalse();
    assertThat(bar(bars, Opening.SAVED_READ.quantity(), "at most 5 ms").met()).isTrue();
    assertThat(bar(bars, Opening.NAMED.quantity(), "at most 5 ms").met()).isNull();

    Bar lookup = bar(bars, Quantity.SHARED_LOOKUP, "1.2 times");
    assertThat(lookup.measured()).as("the median of 1.2, 2 and 1").isEqualTo(1.2);
    assertThat(lookup.met()).isTrue();
    Bar find = bar(bars, Quantity.SHARED_FIND, "1.2 times");
    assertThat(find.measured()).isEqualTo(1.5);
    assertThat(find.allowed()).isEqualTo(120.0);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(() -> new NamedOptions(List.of(), 1, 1)).hasMessageContaining("none");
    assertThatThrownBy(() -> new NamedOptions(List.of(0L), 1, 1)).hasMessageContaining("0 is not");
    assertThatThrownBy(() -> new NamedOptions(List.of(1L), 0, 1))
        .hasMessage("processes 0 is not within 1 to 128");
    assertThatThrownBy(() -> new NamedOptions(List.of(1L), 1, 0)).hasMessageContaining("rounds");
  }
}
