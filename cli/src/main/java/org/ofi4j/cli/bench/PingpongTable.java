// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
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
  private static final String LINE = "  %-16s %8s %-17s";
  private static final String COMPARED = " %10s %-17s %6s";

  private PingpongTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    PrintWriter out = terminal.out();
    boolean compared = bars.compared();
    String heading =
        Numbers.format(LINE, "", "ofi4j", "least to most")
            + (compared ? Numbers.format(COMPARED, "libfabric", "least to most", "times") : "");
    bars.head();
    report.rows().stream()
        .collect(Collectors.groupingBy(Row::quantity, LinkedHashMap::new, Collectors.toList()))
        .forEach((quantity, rows) -> {
          String title = quantity.title() + ", " + quantity.unit().text();
          bars.table(title, heading, rows, row -> line(row, compared), false);
        });
    out.println();
    if (compared) {
      out.println("times: ofi4j's figure over libfabric's");
      out.println();
      bars.end();
    } else {
      out.println(Numbers.format("in %.1f s", report.seconds()));
    }
  }

  private static String line(Row row, boolean compared) {
    Series ours = row.of(Side.OFI4J);
    String line =
        Numbers.format(
            LINE, Numbers.count(row.size(), "byte"), BenchBars.median(ours), BenchBars.range(ours));
    if (!compared) {
      return line;
    }
    Series theirs = row.of(Side.TCP);
    OptionalDouble ratio = row.ratio(Side.TCP);
    return line
        + Numbers.format(
            COMPARED,
            BenchBars.median(theirs),
            BenchBars.range(theirs),
            ratio.isPresent() ? Numbers.format("%.2f", 1 / ratio.getAsDouble()) : "");
  }
}
