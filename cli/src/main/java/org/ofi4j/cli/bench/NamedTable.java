// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalDouble;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench named} for people: a table for each size, then the bars. */
final class NamedTable {
  private static final List<String> FORMATS =
      List.of("%-9s ", "%10s ", "%-22s ", "%8s ", "%8s ", "%10s ", "%6s ", "%6s");
  private static final List<String> HEADING =
      BenchBars.cells(
          FORMATS,
          List.of("", "named", "least to most", "first", "memory", "private", "times", "rounds"));

  private NamedTable() {}

  static void print(Terminal terminal, BenchmarkReport report) {
    BenchBars bars = new BenchBars(terminal, report);
    PrintWriter out = terminal.out();
    bars.head();
    bars.tables(HEADING, NamedTable::line);
    out.println();
    bars.line("first: in a JVM that has done nothing else; with domain: and that has none yet");
    bars.line("memory: the bytes of the file mapped and summed, and copied, alone");
    bars.line("private, times: the same with a vector of one process, and named over that");
    out.println();
    bars.end();
  }

  private static List<String> line(Row row) {
    Series ours = row.of(Side.OFI4J);
    Series first = row.of(Side.OFI4J_FIRST);
    Series spread = ours == null ? first : ours;
    OptionalDouble ratio = row.ratio(Side.PRIVATE);
    boolean isTime = row.quantity().unit() == Unit.NANOS;
    return BenchBars.cells(
        FORMATS,
        List.of(
            BenchBars.unit(row),
            BenchBars.median(ours),
            BenchBars.range(spread),
            BenchBars.median(first),
            BenchBars.median(row.of(Side.MEMORY)),
            BenchBars.median(row.of(Side.PRIVATE)),
            isTime && ratio.isPresent() ? BenchBars.number(1 / ratio.getAsDouble()) : "",
            spread == null ? "" : Integer.toString(spread.rounds().size())));
  }
}
