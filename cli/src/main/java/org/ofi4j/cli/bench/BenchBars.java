// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** What all reports of {@code ofi4j bench} for people have: where it was, tables, and the bars. */
record BenchBars(Terminal terminal, BenchmarkReport report) {
  private PrintWriter out() {
    return terminal.out();
  }

  /** Whether it was measured beside libfabric. */
  boolean compared() {
    return report.libfabric() != null;
  }

  /** Where it was measured. */
  void head() {
    out().println("on        " + report.machine());
    out().println("java      " + report.java());
    if (compared()) {
      out().println("libfabric " + report.libfabric());
    }
  }

  /** A table for each number of peers, with what its bars say. */
  void tables(String heading, Function<Row, String> line) {
    report.rows().stream()
        .collect(Collectors.groupingBy(Row::size, TreeMap::new, Collectors.toList()))
        .forEach((size, rows) ->
            table(Numbers.count(size, report.topic().size()), heading, rows, line, true));
  }

  /** A table: a line for each row, and whether its bars are met, with or without their words. */
  void table(
      String title, String heading, List<Row> rows, Function<Row, String> line, boolean words) {
    out().println();
    out().println(terminal.bold(title));
    out().println(terminal.dim(heading.stripTrailing()));
    rows.forEach(row -> out().println((line.apply(row) + marks(row, words)).stripTrailing()));
  }

  private String marks(Row row, boolean words) {
    StringBuilder marks = new StringBuilder();
    for (Bar bar : report.bars()) {
      Boolean met = bar.met();
      if (met != null && bar.size() == row.size() && bar.quantity().equals(row.quantity())) {
        marks.append(' ').append(terminal.mark(met)).append(words ? ' ' + bar.text() : "");
      }
    }
    return marks.toString();
  }

  /** The bars, how many are met, and how long it took. */
  void end() {
    out().println(terminal.bold("Bars"));
    report.bars().forEach(bar -> out().println(line(bar).stripTrailing()));
    out().println(Numbers.format("%n%s in %.1f s", summary(report.bars()), report.seconds()));
  }

  private String line(Bar bar) {
    Boolean met = bar.met();
    String verdict =
        met == null
            ? terminal.notable("not measured")
            : met ? terminal.good("met         ") : terminal.bad("not met     ");
    Double measured = bar.measured();
    return Numbers.format(
        "  %s  %-45s %-42s %s",
        verdict,
        bar.quantity().title(),
        bar.text(),
        measured == null
            ? ""
            : number(measured) + " at " + Numbers.count(bar.size(), report.topic().size()));
  }

  private static String summary(List<Bar> bars) {
    long met = bars.stream().filter(bar -> Boolean.TRUE.equals(bar.met())).count();
    long measured = bars.stream().filter(bar -> bar.met() != null).count();
    String all = met + " of " + Numbers.count(measured, "bar") + " met";
    return measured == bars.size() ? all : all + ", " + (bars.size() - measured) + " not measured";
  }

  static String unit(Row row) {
    Unit unit = row.quantity().unit();
    return switch (unit) {
      case NANOS_PER_CALL -> "ns";
      case BYTES_IN_ALL -> "bytes";
      default -> unit.text();
    };
  }

  static String median(@Nullable Series series) {
    return series == null ? "" : number(series.median());
  }

  /** The least and the most of several rounds. */
  static String range(@Nullable Series series) {
    return series == null || series.rounds().size() == 1
        ? ""
        : number(series.least()) + " to " + number(series.most());
  }

  /** Three digits that matter, or all of a whole number. */
  static String number(double value) {
    double size = Math.abs(value);
    if (size >= 100) {
      return Numbers.format("%,.0f", value);
    }
    return size >= 10
        ? Numbers.format("%.1f", value)
        : size >= 0.1 || size == 0 ? Numbers.format("%.2f", value) : Numbers.format("%.4f", value);
  }
}
