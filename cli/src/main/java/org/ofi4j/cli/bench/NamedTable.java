// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.OptionalDouble;
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
  private final BenchBars bars;

  NamedTable(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
    this.bars = new BenchBars(terminal);
  }

  void print(BenchmarkReport report) {
    bars.head(report);
    BenchBars.bySize(report.rows())
        .forEach((peers, rows) -> {
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
          rows.forEach(row -> row(row, report));
        });
    out.println();
    out.println("first: in a JVM that has done nothing else; with domain: and that has none yet");
    out.println("memory: the bytes of the file mapped and summed, and copied, alone");
    out.println("private, times: the same with a vector of one process, and named over that");
    out.println();
    bars.print(report);
  }

  private void row(Row row, BenchmarkReport report) {
    Series ours = row.of(Side.OFI4J);
    Series first = row.of(Side.OFI4J_FIRST);
    Series spread = ours == null ? first : ours;
    OptionalDouble ratio = row.ratio(Side.PRIVATE);
    boolean isTime = row.quantity().unit() == Unit.NANOS;
    String line =
        Numbers.format(
            LINE,
            row.quantity().title(),
            unit(row.quantity().unit()),
            BenchBars.median(ours),
            BenchBars.range(spread),
            BenchBars.median(first),
            BenchBars.median(row.of(Side.MEMORY)),
            BenchBars.median(row.of(Side.PRIVATE)),
            isTime && ratio.isPresent() ? BenchBars.number(1 / ratio.getAsDouble()) : "",
            spread == null ? "" : Integer.toString(spread.rounds().size()));
    out.println((line + bars.marks(row, report.bars(), true)).stripTrailing());
  }

  private static String unit(Unit unit) {
    return unit == Unit.BYTES_IN_ALL ? "bytes" : unit.text();
  }
}
