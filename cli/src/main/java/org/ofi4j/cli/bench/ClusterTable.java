// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j cluster bench} for people: a table for each size, then the bars. */
final class ClusterTable {
  private static final List<String> FORMATS = List.of("%-6s ", "%10s ", "%-20s ", "%10s ", "%6s");
  private static final List<String> HEADING =
      BenchBars.cells(FORMATS, List.of("", "median", "least to most", "first", "rounds"));

  private ClusterTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    PrintWriter out = terminal.out();
    bars.head();
    bars.tables(HEADING, ClusterTable::line);
    out.println();
    bars.line("first: in a JVM that has done nothing else but connect");
    out.println();
    bars.end();
  }

  private static List<String> line(Row row) {
    Series ours = row.of(Side.OFI4J);
    return BenchBars.cells(
        FORMATS,
        List.of(
            BenchBars.unit(row),
            BenchBars.median(ours),
            BenchBars.range(ours),
            BenchBars.median(row.of(Side.OFI4J_FIRST)),
            ours == null ? "" : Integer.toString(ours.rounds().size())));
  }
}
