// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench pingpong} for people: a table for each quantity. */
final class PingpongTable {
  private static final List<String> FORMATS = List.of("%8s ", "%-17s", " %10s ", "%-17s ", "%6s");

  private PingpongTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    PrintWriter out = terminal.out();
    boolean compared = bars.compared();
    List<String> heading =
        cells(compared, List.of("ofi4j", "least to most", "libfabric", "least to most", "times"));
    bars.head();
    report.rows().stream()
        .collect(Collectors.groupingBy(Row::quantity, LinkedHashMap::new, Collectors.toList()))
        .forEach((quantity, rows) -> {
          String title = quantity.title() + ", " + quantity.unit().text();
          bars.table(
              title,
              heading,
              rows,
              row -> Numbers.count(row.size(), "byte"),
              row -> line(row, compared),
              false);
        });
    out.println();
    if (compared) {
      bars.line("times: ofi4j's figure over libfabric's");
      out.println();
      bars.end();
    } else {
      out.println(Numbers.format("in %.1f s", report.seconds()));
    }
  }

  private static List<String> cells(boolean compared, List<String> values) {
    return BenchBars.cells(FORMATS, compared ? values : values.subList(0, 2));
  }

  private static List<String> line(Row row, boolean compared) {
    Series ours = row.of(Side.OFI4J);
    Series theirs = row.of(Side.TCP);
    OptionalDouble ratio = row.ratio(Side.TCP);
    return cells(
        compared,
        List.of(
            BenchBars.median(ours),
            BenchBars.range(ours),
            BenchBars.median(theirs),
            BenchBars.range(theirs),
            ratio.isPresent() ? Numbers.format("%.2f", 1 / ratio.getAsDouble()) : ""));
  }
}
