// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench av} for people: a table for each size, then the bars. */
final class BenchTable {
  private static final List<String> FORMATS =
      List.of("%-5s ", "%8s ", "%-15s", " %8s", " %8s", " %8s", " %8s", " %-7s");

  private BenchTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    boolean compared = bars.compared();
    List<String> heading =
        cells(
            compared,
            List.of("", "ofi4j", "least to most", "memory", "udp", "tcp", "times", "rounds"));
    bars.head();
    bars.tables(heading, row -> line(row, compared));
    legend(bars, compared);
    bars.end();
  }

  private static List<String> cells(boolean compared, List<String> values) {
    List<String> cells = BenchBars.cells(FORMATS, values);
    if (!compared) {
      cells.subList(3, 7).clear();
    }
    return cells;
  }

  private static void legend(BenchBars bars, boolean compared) {
    PrintWriter out = bars.terminal().out();
    out.println();
    bars.line("rounds: of ofi4j" + (compared ? "/udp/tcp" : ""));
    if (compared) {
      bars.line("memory: the loads and stores that the work cannot do without, alone");
    }
    out.println();
  }

  private static List<String> line(Row row, boolean compared) {
    return cells(
        compared,
        List.of(
            BenchBars.unit(row),
            BenchBars.median(row.of(Side.OFI4J)),
            BenchBars.range(row.of(Side.OFI4J)),
            BenchBars.median(row.of(Side.MEMORY)),
            BenchBars.median(row.of(Side.UDP)),
            BenchBars.median(row.of(Side.TCP)),
            row.ratio().isPresent() ? BenchBars.number(row.ratio().getAsDouble()) : "",
            rounds(row, compared)));
  }

  /** How many rounds the sides did, such as {@code 11/11/1}. */
  private static String rounds(Row row, boolean compared) {
    String ours = rounds(row.of(Side.OFI4J));
    return compared ? ours + "/" + rounds(row.of(Side.UDP)) + "/" + rounds(row.of(Side.TCP)) : ours;
  }

  private static String rounds(@Nullable Series series) {
    return series == null ? "-" : Integer.toString(series.rounds().size());
  }
}
