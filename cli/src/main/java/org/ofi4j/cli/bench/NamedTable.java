// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench named} for people: a table for each size, then the bars. */
final class NamedTable {
  private static final String LINE = "  %-48s %-9s %10s %-22s %8s %8s %10s %6s %6s";

  private final Terminal terminal;
  private final PrintWriter out;

  NamedTable(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
  }

  void print(BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal);
    bars.head(report);
    TreeMap<Long, List<Row>> sizes = new TreeMap<>();
    for (Row row : report.rows()) {
      sizes.computeIfAbsent(row.size(), peers -> new ArrayList<>()).add(row);
    }
    sizes.forEach((peers, rows) -> {
      out.println();
      out.println(terminal.bold(Numbers.count(peers, "peer")));
      out.println(
          terminal.dim(
              Numbers.format(
                  LINE,
                  "",
                  "",
                  "named",
                  "least to most",
                  "first",
                  "memory",
                  "private",
                  "times",
                  "rounds")));
      rows.forEach(row -> row(row, report.bars()));
    });
    out.println();
    out.println("first: in a JVM that has done nothing else; with domain: and that has none yet");
    out.println("memory: the bytes of the file mapped and summed, and copied, alone");
    out.println("private, times: the same with a vector of one process, and named over that");
    out.println();
    bars.print(report);
  }

  private void row(Row row, List<Bar> bars) {
    Series ours = row.of(Side.OFI4J);
    Series first = row.of(Side.OFI4J_FIRST);
    Series spread = ours == null ? first : ours;
    OptionalDouble ratio = row.ratio(Side.PRIVATE);
    boolean isTime = row.quantity().unit() == Unit.NANOS;
    StringBuilder line =
        new StringBuilder(
            Numbers.format(
                LINE,
                row.quantity().title(),
                unit(row.quantity().unit()),
                median(ours),
                range(spread),
                median(first),
                median(row.of(Side.MEMORY)),
                median(row.of(Side.PRIVATE)),
                isTime && ratio.isPresent() ? BenchBars.number(1 / ratio.getAsDouble()) : "",
                spread == null ? "" : Integer.toString(spread.rounds().size())));
    for (Bar bar : bars) {
      Boolean met = bar.met();
      if (met != null && bar.size() == row.size() && bar.quantity().equals(row.quantity())) {
        line.append(' ').append(terminal.mark(met)).append(' ').append(bar.text());
      }
    }
    out.println(line.toString().stripTrailing());
  }

  private static String unit(Unit unit) {
    return unit == Unit.BYTES_IN_ALL ? "bytes" : unit.text();
  }

  private static String median(@Nullable Series series) {
    return series == null ? "" : BenchBars.number(series.median());
  }

  private static String range(@Nullable Series series) {
    return series == null || series.rounds().size() == 1
        ? ""
        : BenchBars.number(series.least()) + " to " + BenchBars.number(series.most());
  }
}
