// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

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
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/**
 * The report for people of a benchmark with several contestants: a table for each quantity, with a
 * line for each size and contestant.
 */
final class ContestantTable {
  private static final String OURS = "ofi4j, ";

  private ContestantTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    List<Row> rows = report.rows();
    List<Side> sides =
        rows.stream().flatMap(row -> row.sides().keySet().stream()).distinct().sorted().toList();
    List<Side> modes = sides.stream().filter(Side::isMode).toList();
    boolean compared = sides.stream().anyMatch(side -> !side.isMode());
    List<String> heading = new ArrayList<>(List.of("median", "least to most"));
    if (compared) {
      modes.forEach(mode ->
          heading.add(modes.size() == 1 ? "times" : mode.title().replaceFirst("^" + OURS, "")));
    }
    Map<String, List<BenchBars.Line>> tables = new LinkedHashMap<>();
    for (Row row : rows) {
      List<BenchBars.Line> lines =
          tables.computeIfAbsent(
              row.quantity().title() + ", " + row.quantity().unit().text(),
              title -> new ArrayList<>());
      String size = Numbers.count(row.size(), report.topic().size());
      row.sides()
          .forEach((side, series) ->
              lines.add(
                  new BenchBars.Line(
                      sides.size() == 1 ? size : size + ", " + title(side),
                      cells(values(row, side, series, compared ? modes : List.of())),
                      side == Side.OFI4J ? bars.marks(row, false) : "")));
    }
    bars.head();
    bars.tables(cells(heading), tables);
    terminal.out().println();
    legend(bars, compared, modes.size());
    if (bars.compared() && !report.bars().isEmpty()) {
      bars.end();
    } else {
      terminal.out().println(Numbers.format("in %.1f s", report.seconds()));
    }
  }

  /** The head of the report names the provider of libfabric. */
  private static String title(Side side) {
    return side == Side.TCP ? "libfabric" : side.title();
  }

  private static void legend(BenchBars bars, boolean compared, int modes) {
    if (compared) {
      bars.line(
          modes == 1
              ? "times: ofi4j's figure over that of the line"
              : "last columns: the figure of that mode of ofi4j over that of the line");
    }
    boolean counted =
        bars.report().rows().stream().anyMatch(row -> row.quantity().equals(Quantity.SYSTEM_CALLS));
    if (!counted && bars.report().topic() == Topic.MESSAGES) {
      bars.line(
          "system calls: not counted, which takes perf(1), the right to use it, and a contestant"
              + " that sleeps");
    }
    bars.terminal().out().println();
  }

  private static List<String> values(Row row, Side side, Series series, List<Side> modes) {
    List<String> values =
        new ArrayList<>(List.of(BenchBars.median(series), BenchBars.range(series)));
    for (Side mode : modes) {
      OptionalDouble ratio = side.isMode() ? OptionalDouble.empty() : row.ratio(mode, side);
      values.add(ratio.isPresent() ? Numbers.format("%.2f", 1 / ratio.getAsDouble()) : "");
    }
    return values;
  }

  private static List<String> cells(List<String> values) {
    List<String> formats = new ArrayList<>(List.of("%8s ", "%-19s"));
    values.stream().skip(2).forEach(value -> formats.add(" %8s"));
    return BenchBars.cells(formats, values);
  }
}
