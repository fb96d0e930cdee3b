// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.named.Opening;
import org.ofi4j.cli.output.Terminal;

/** Tables of figures that are as wide as the terminal, and lose none of them. */
class BenchTablesTest {
  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80, 100})
  void tablesFit(int columns) {
    for (String libfabric : Arrays.asList("1.17", null)) {
      BenchmarkReport report = report(libfabric);
      for (BiConsumer<Terminal, BenchmarkReport> table :
          List.<BiConsumer<Terminal, BenchmarkReport>>of(
              BenchTable::print, NamedTable::print, ClusterTable::print, ContestantTable::print)) {
        StringWriter narrow = new StringWriter();
        StringWriter wide = new StringWriter();
        Terminal terminal =
            Terminal.interactive(
                InputStream.nullInputStream(),
                narrow,
                new StringWriter(),
                Map.of("COLUMNS", "" + columns));
        Terminal pipe = Terminal.of(InputStream.nullInputStream(), wide, new StringWriter());
        table.accept(terminal, report);
        table.accept(pipe, report);
        terminal.flush();
        pipe.flush();
        String text = narrow.toString().replaceAll("\033\\[[0-9;]*m", "");
        assertThat(text.lines()).allMatch(line -> line.length() <= columns);
        assertThat(text.strip().split("\\s+")).isEqualTo(wide.toString().strip().split("\\s+"));
        assertThat(wide.toString()).contains("least to most", "9,012 to 1,234,567");
      }
    }
  }

  private static BenchmarkReport report(String libfabric) {
    List<Row> rows = new ArrayList<>();
    List<Bar> bars = new ArrayList<>();
    for (Opening opening : Opening.values()) {
      Quantity quantity = opening.quantity();
      Series series = new Series(List.of(9012.0, 20_000.0, 1_234_567.0));
      rows.add(
          new Row(
              quantity,
              1000,
              Map.of(
                  Side.OFI4J, series,
                  Side.OFI4J_FIRST, series,
                  Side.OFI4J_BLOCKING, series,
                  Side.NETTY_EPOLL, series,
                  Side.PRIVATE, series,
                  Side.UDP, series,
                  Side.TCP, series,
                  Side.MEMORY, series)));
      bars.add(new Bar(quantity, 1000, "at most 5 ms and not more", 4.0, 5, false, 5.0));
    }
    return new BenchmarkReport("2 cores", "25", libfabric, Topic.NAMED_VECTORS, rows, bars, 1);
  }
}
