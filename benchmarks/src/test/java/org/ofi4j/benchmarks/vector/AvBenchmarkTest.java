// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.plot.SvgPlot;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.TimeSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/**
 * The whole benchmark with few peers, once, beside libfabric where it is installed: each subject
 * checks the outcome of its own work.
 */
public class AvBenchmarkTest {
  private static final int ROUNDS = 2;
  private static final List<String> TITLES = new ArrayList<>();

  private static BenchmarkReport report;

  @BeforeAll
  static void measure(@TempDir Path directory) throws Exception {
    report =
        AvBenchmark.run(
            options(1000, missing(directory).isEmpty()),
            (what, done, steps) -> {
              TITLES.add(what);
              assertThat(done).isLessThan(steps);
            });
  }

  @Test
  void ofi4j() {
    assertThat(TITLES).doesNotHaveDuplicates().anyMatch(title -> title.contains("scattered"));
    for (Quantity quantity :
        List.of(
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
            Quantity.LOOKUP,
            Quantity.FIND,
            Quantity.REMOVE_IN_ORDER,
            Quantity.REMOVE_RANDOMLY,
            Quantity.SYMMETRIC_ARRAY)) {
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
    assertThat(report.bars()).anyMatch(bar -> bar.met() != null);
  }

  @Test
  void besideLibfabric(@TempDir Path directory) throws Exception {
    need(directory);
    assertThat(report.libfabric()).contains("udp", "tcp");
    for (Quantity quantity :
        List.of(
            Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
            Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
            Quantity.LOOKUP,
            Quantity.REMOVE_IN_ORDER)) {
      assertThat(series(row(report, quantity), Side.UDP).rounds()).hasSize(ROUNDS);
      assertThat(row(report, quantity).ratio()).isPresent();
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
    }
    assertThat(series(row(report, Quantity.UDP_WITH_HINT), Side.UDP).rounds()).hasSize(1);
    assertThat(series(row(report, Quantity.UDP_WITHOUT_HINT), Side.UDP).rounds()).hasSize(1);
    assertThat(series(row(report, Quantity.LOOKUP), Side.TCP).rounds()).hasSize(1);
    for (Quantity quantity :
        List.of(Quantity.CHURN, Quantity.SYMMETRIC_ARRAY, Quantity.INSERT_SINGLY)) {
      assertThat(series(row(report, quantity), Side.UDP).least()).isPositive();
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

  public static void plotIsWellFormed(BenchmarkReport report, String... parts) throws Exception {
    String svg = SvgPlot.of(report);
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Document document = factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
    assertThat(svg).contains(parts);
    assertThat(svg)
        .contains("class=\"ofi4j", "prefers-color-scheme: dark")
        .doesNotContain("NaN", "Infinity");
  }

  private static BenchmarkOptions options(int peers, boolean libfabric) {
    return new BenchmarkOptions(List.of((long) peers), libfabric, ROUNDS, 1000, TimeSource.CPU);
  }

  private static Row row(BenchmarkReport report, Quantity quantity) {
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

  /** What is missing to compile against libfabric, or nothing. */
  private static String missing(Path directory) throws Exception {
    try {
      LibfabricProgram.compile(directory, LibfabricProgram.ADDRESS_VECTOR, System.getenv());
      return "";
    } catch (LibfabricUnavailableException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Skips or fails the test where libfabric cannot be compiled against. */
  public static void need(Path directory) throws Exception {
    String missing = missing(directory);
    if (System.getProperty("ofi4j.interop", "optional").equals("required")) {
      assertThat(missing).as("-Dofi4j.interop=required needs it").isEmpty();
    }
    assumeTrue(missing.isEmpty(), missing);
  }
}
