// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.plot.SvgPlot;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.TimeSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The whole benchmark with few peers: each subject checks the outcome of its own work. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
public class AvBenchmarkTest {
  static final int ROUNDS = 2;

  @Test
  void ofi4jAlone() throws Exception {
    List<String> titles = new ArrayList<>();
    BenchmarkReport report =
        AvBenchmark.run(
            options(1000, false),
            (what, done, steps) -> {
              titles.add(what);
              assertThat(done).isLessThan(steps);
            });
    assertThat(titles).doesNotHaveDuplicates().anyMatch(title -> title.contains("scattered"));
    assertThat(report.libfabric()).isNull();
    assertThat(report.rows()).allMatch(row -> row.of(Side.UDP) == null);
    for (Quantity quantity :
        List.of(
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
            Quantity.LOOKUP,
            Quantity.FIND,
            Quantity.REMOVE_IN_ORDER,
            Quantity.REMOVE_RANDOMLY,
            Quantity.CHURN_HELD,
            Quantity.SYMMETRIC,
            Quantity.SYMMETRIC_ARRAY,
            Quantity.GROWTH_WORST,
            Quantity.READER_RATE)) {
      Row row = row(report, quantity);
      assertThat(row.size()).as(quantity.id()).isEqualTo(1000);
      assertThat(series(row, Side.OFI4J).rounds()).as(quantity.id()).hasSize(ROUNDS);
      assertThat(series(row, Side.OFI4J).least()).as(quantity.id()).isPositive();
    }
    for (Quantity quantity :
        List.of(
            Quantity.INSERT_SINGLY,
            Quantity.CHURN,
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV6, false))) {
      assertThat(series(row(report, quantity), Side.OFI4J).least()).isPositive();
    }
    assertThat(report.rows()).allMatch(row -> row.of(Side.MEMORY) == null);
    assertThat(series(row(report, Quantity.EXCHANGE_LATE), Side.OFI4J).least()).isPositive();
    assertThat(series(row(report, Quantity.EXCHANGE_MEMORY), Side.OFI4J).rounds())
        .hasSize(ROUNDS)
        .allSatisfy(percent -> assertThat(percent).isPositive());
    assertThat(report.bars()).anyMatch(bar -> bar.met() != null);
    for (Bar bar : report.bars()) {
      if (bar.met() != null) {
        assertThat(row(report, bar.quantity()).disturbed(Side.OFI4J))
            .as("something runs beside what a bar on time rests on: %s", bar.quantity().id())
            .isFalse();
      }
    }
  }

  public static void plotIsWellFormed(BenchmarkReport report, String... parts) throws Exception {
    String svg = SvgPlot.of(report);
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Document document = factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
    assertThat(svg).contains(parts);
    assertThat(svg)
        .contains("class=\"ofi4j\"", "prefers-color-scheme: dark")
        .doesNotContain("NaN", "Infinity");
  }

  @Test
  void largeNumbersComeInParts() {
    Results results = new Results();
    FigureSink figures = figure -> results.add(figure, true);
    LargeSize large = new LargeSize(figures, TimeSource.CPU, ROUNDS, 70_000);
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

  static BenchmarkOptions options(int peers, boolean libfabric) {
    return new BenchmarkOptions(
        List.of((long) peers), libfabric, ROUNDS, 1, 1000, 1000, 100_000, TimeSource.CPU);
  }

  static Row row(BenchmarkReport report, Quantity quantity) {
    return report.rows().stream()
        .filter(row -> row.quantity().equals(quantity))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row " + quantity.id()));
  }

  static Series series(Row row, Side side) {
    Series series = row.of(side);
    assertThat(series).as("%s of %s", row.quantity().id(), side).isNotNull();
    return series;
  }

  /** Skips or fails the test where libfabric cannot be compiled against. */
  public static void need(Path directory) throws Exception {
    String missing = "";
    try {
      LibfabricProgram.compile(directory, LibfabricProgram.ADDRESS_VECTOR, System.getenv());
    } catch (LibfabricUnavailableException e) {
      missing = String.valueOf(e.getMessage());
    }
    if (System.getProperty("ofi4j.interop", "optional").equals("required")) {
      assertThat(missing).as("-Dofi4j.interop=required needs it").isEmpty();
    }
    assumeTrue(missing.isEmpty(), missing);
  }
}
