// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** What all reports of {@code ofi4j bench} for people have: where it was, and the bars. */
final class BenchBars {
  private final Terminal terminal;
  private final PrintWriter out;

  BenchBars(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
  }

  /** Where it was measured. */
  void head(BenchmarkReport report) {
    out.println("on        " + report.machine());
    out.println("java      " + report.java());
    if (report.libfabric() != null) {
      out.println("libfabric " + report.libfabric());
    }
  }

  /** The bars, how many are met, and how long it took. */
  void print(BenchmarkReport report) {
    bars(report.bars(), report.topic());
    out.println(Numbers.format("%n%s in %.1f s", summary(report.bars()), report.seconds()));
  }

  private void bars(List<Bar> bars, Topic topic) {
    out.println(terminal.bold("Bars"));
    for (Bar bar : bars) {
      Boolean met = bar.met();
      String verdict =
          met == null
              ? terminal.notable("not measured")
              : met ? terminal.good("met         ") : terminal.bad("not met     ");
      Double measured = bar.measured();
      out.println(
          Numbers.format(
                  "  %s  %-45s %-42s %s",
                  verdict,
                  bar.quantity().title(),
                  bar.text(),
                  measured == null
                      ? ""
                      : number(measured) + " at " + Numbers.count(bar.size(), topic.size()))
              .stripTrailing());
    }
  }

  private static String summary(List<Bar> bars) {
    long met = bars.stream().filter(bar -> Boolean.TRUE.equals(bar.met())).count();
    long measured = bars.stream().filter(bar -> bar.met() != null).count();
    return met
        + " of "
        + Numbers.count(measured, "bar")
        + " met"
        + (measured == bars.size() ? "" : ", " + (bars.size() - measured) + " not measured");
  }

  /** Whether the bars on a row are met: a mark for each, with or without its words. */
  String marks(Row row, List<Bar> bars, boolean words) {
    StringBuilder marks = new StringBuilder();
    for (Bar bar : bars) {
      Boolean met = bar.met();
      if (met != null && bar.size() == row.size() && bar.quantity().equals(row.quantity())) {
        marks.append(' ').append(terminal.mark(met)).append(words ? ' ' + bar.text() : "");
      }
    }
    return marks.toString();
  }

  static SortedMap<Long, List<Row>> bySize(List<Row> rows) {
    return rows.stream()
        .collect(Collectors.groupingBy(Row::size, TreeMap::new, Collectors.toList()));
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
