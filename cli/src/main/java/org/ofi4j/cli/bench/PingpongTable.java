// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench pingpong} for people: a table for each quantity. */
final class PingpongTable {
  private static final String LINE = "  %-16s %8s %-17s";
  private static final String COMPARED = " %10s %-17s %6s";

  private final Terminal terminal;
  private final PrintWriter out;
  private final BenchBars bars;

  PingpongTable(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
    this.bars = new BenchBars(terminal);
  }

  void print(BenchmarkReport report) {
    bars.head(report);
    boolean compared = report.libfabric() != null;
    Map<Quantity, List<Row>> quantities = new LinkedHashMap<>();
    for (Row row : report.rows()) {
      quantities.computeIfAbsent(row.quantity(), quantity -> new ArrayList<>()).add(row);
    }
    quantities.forEach((quantity, rows) -> {
      out.println();
      out.println(terminal.bold(quantity.title() + ", " + quantity.unit().text()));
      String heading = Numbers.format(LINE, "", "ofi4j", "least to most");
      if (compared) {
        heading += Numbers.format(COMPARED, "libfabric", "least to most", "times");
      }
      out.println(terminal.dim(heading.stripTrailing()));
      rows.forEach(row -> row(row, compared, report));
    });
    out.println();
    if (compared) {
      out.println("times: ofi4j's figure over libfabric's");
      out.println();
      bars.print(report);
    } else {
      out.println(Numbers.format("in %.1f s", report.seconds()));
    }
  }

  private void row(Row row, boolean compared, BenchmarkReport report) {
    Series ours = row.of(Side.OFI4J);
    StringBuilder line =
        new StringBuilder(
            Numbers.format(
                LINE,
                Numbers.count(row.size(), "byte"),
                BenchBars.median(ours),
                BenchBars.range(ours)));
    if (compared) {
      Series theirs = row.of(Side.TCP);
      OptionalDouble ratio = row.ratio(Side.TCP);
      line.append(
          Numbers.format(
              COMPARED,
              BenchBars.median(theirs),
              BenchBars.range(theirs),
              ratio.isPresent() ? Numbers.format("%.2f", 1 / ratio.getAsDouble()) : ""));
    }
    out.println((line + bars.marks(row, report.bars(), false)).stripTrailing());
  }
}
