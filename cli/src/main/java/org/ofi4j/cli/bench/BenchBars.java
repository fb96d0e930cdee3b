// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.cli.output.Folding;
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
    line("on        " + report.machine());
    line("java      " + report.java());
    if (compared()) {
      line("libfabric " + report.libfabric());
    }
  }

  /** Prints a line of text, folded to the terminal. */
  void line(String text) {
    terminal.printFolded(text, 10);
  }

  /** A line of a table: the first column, the other cells, and whether bars are met. */
  record Line(String label, List<String> cells, String marks) {}

  /** Prints a table for each size, with what its bars say. */
  void tables(List<String> heading, Function<Row, List<String>> cells) {
    Map<String, List<Line>> tables = new LinkedHashMap<>();
    report.rows().stream()
        .sorted(Comparator.comparingLong(Row::size))
        .forEach(row ->
            tables
                .computeIfAbsent(
                    Numbers.count(row.size(), report.topic().size()), size -> new ArrayList<>())
                .add(new Line(row.quantity().title(), cells.apply(row), marks(row, true))));
    tables(heading, tables);
  }

  /** Prints tables with these titles; cells are as wide as those of the heading. */
  void tables(List<String> heading, Map<String, List<Line>> tables) {
    int widest =
        tables.values().stream()
            .flatMap(List::stream)
            .mapToInt(line -> line.label().length())
            .max()
            .orElse(0);
    tables.forEach((title, lines) -> {
      out().println();
      out().println(terminal.bold(title));
      out().println(terminal.dim(folded(widest, new Line("", heading, ""))));
      lines.forEach(line -> out().println(folded(widest, line)));
    });
  }

  /** Returns the cells of a line: each value in the format of its column. */
  static List<String> cells(List<String> formats, List<String> values) {
    List<String> cells = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      cells.add(Numbers.format(formats.get(i), values.get(i)));
    }
    return cells;
  }

  private String folded(int widest, Line line) {
    List<String> all = new ArrayList<>();
    all.add("  " + line.label() + " ".repeat(widest - line.label().length() + 1));
    all.addAll(line.cells());
    return Folding.row(all, line.marks(), terminal.foldColumns());
  }

  /** Returns whether the bars of a row are met, with or without their words. */
  String marks(Row row, boolean words) {
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
    report.bars().forEach(bar -> out().println(Folding.row(cells(bar), terminal.foldColumns())));
    out().println();
    line(Numbers.format("%s in %.1f s", summary(report.bars()), report.seconds()));
  }

  private List<String> cells(Bar bar) {
    Boolean met = bar.met();
    String verdict =
        met == null
            ? terminal.notable("not measured")
            : met ? terminal.good("met         ") : terminal.bad("not met     ");
    Double measured = bar.measured();
    return List.of(
        "  " + verdict + "  ",
        Numbers.format("%-45s ", bar.quantity().title()),
        Numbers.format("%-42s ", bar.text()),
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
    return unit == Unit.BYTES_IN_ALL ? "bytes" : unit.text();
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
