// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;

/** The report of {@code ofi4j bench av} for people: a table for each size, then the bars. */
final class BenchTable {
  private static final String LINE = "  %-43s %-5s %8s %-17s";
  private static final String COMPARED = " %8s %8s %8s %8s";
  private static final String ROUNDS = "  %-7s";

  /** Before a figure that was measured beside other work. */
  private static final String BUSY = "~";

  private final Terminal terminal;
  private final PrintWriter out;
  private final BenchBars bars;

  BenchTable(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
    this.bars = new BenchBars(terminal);
  }

  void print(BenchmarkReport report) {
    bars.head(report);
    boolean compared = report.libfabric() != null;
    BenchBars.bySize(report.rows())
        .forEach((peers, rows) -> {
          out.println();
          out.println(terminal.bold(Numbers.count(peers, "peer")));
          String heading = Numbers.format(LINE, "", "", "ofi4j", "least to most");
          if (compared) {
            heading += Numbers.format(COMPARED, "memory", "udp", "tcp", "times");
          }
          heading += Numbers.format(ROUNDS, "rounds");
          out.println(terminal.dim(heading.stripTrailing()));
          rows.forEach(row -> row(row, compared, report));
        });
    out.println();
    legend(report.rows(), compared);
    bars.print(report);
  }

  private void legend(List<Row> rows, boolean compared) {
    boolean busy =
        rows.stream().anyMatch(row -> row.sides().keySet().stream().anyMatch(row::disturbed));
    out.println("rounds: of ofi4j" + (compared ? "/udp/tcp" : ""));
    if (compared) {
      out.println("memory: the loads and stores that the work cannot do without, alone");
    }
    if (busy) {
      out.println(BUSY + " while other work of the run went on: no bar on time rests on it");
    }
    out.println();
  }

  private void row(Row row, boolean compared, BenchmarkReport report) {
    StringBuilder line =
        new StringBuilder(
            Numbers.format(
                LINE,
                row.quantity().title(),
                unit(row.quantity().unit()),
                median(row, Side.OFI4J),
                BenchBars.range(row.of(Side.OFI4J))));
    if (compared) {
      line.append(
          Numbers.format(
              COMPARED,
              median(row, Side.MEMORY),
              median(row, Side.UDP),
              median(row, Side.TCP),
              row.ratio().isPresent() ? BenchBars.number(row.ratio().getAsDouble()) : ""));
    }
    line.append(Numbers.format(ROUNDS, rounds(row, compared)));
    out.println((line + bars.marks(row, report.bars(), true)).stripTrailing());
  }

  private static String unit(Unit unit) {
    return unit == Unit.NANOS_PER_CALL ? "ns" : unit == Unit.BYTES_IN_ALL ? "bytes" : unit.text();
  }

  private static String median(Row row, Side side) {
    Series series = row.of(side);
    return series == null
        ? ""
        : (row.disturbed(side) ? BUSY : "") + BenchBars.number(series.median());
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
