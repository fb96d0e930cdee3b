// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ExplanationsTest {
  private static final int MILLION = 1_000_000;
  private static final Quantity INSERT =
      Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true);

  @Test
  void whatIsMetNeedsNone() {
    List<Row> rows = List.of(row(INSERT, Map.of(Side.OFI4J, 10.0, Side.UDP, 200.0)));
    assertThat(bar(rows, INSERT).met()).isTrue();
    assertThat(bar(rows, INSERT).explanation()).isNull();
    assertThat(bar(List.of(), INSERT).explanation()).isNull();
  }

  @Test
  void workIsHeldAgainstWhatMemoryAloneTakes() {
    Map<Side, Double> sides =
        Map.of(Side.OFI4J, 50.0, Side.UDP, 450.0, Side.MEMORY, 12.0, Side.MEMORY_IN_C, 10.0);
    Explanation why = explanation(List.of(row(INSERT, sides)), INSERT);
    assertThat(why.work()).isEqualTo(INSERT);
    assertThat(why.figures())
        .containsExactly(
            entry("measured", 50.0),
            entry("allowed", 30.0),
            entry("memory", 12.0),
            entry("memoryInC", 10.0),
            entry("timesMemory", 5.0),
            entry("linesAnywhere", 1.0),
            entry("linesInOrder", 0.5),
            entry("instructions", 40.0));
    assertThat(why.text())
        .startsWith("It takes 50 ns; 30 would meet the bar. ")
        .contains(
            "(1 cache line anywhere, 0.50 in a row) take 10 ns in this run in C and 12 in Java")
        .contains("5 times as long", "Memory would allow it.", "40 ns (80 %) are instructions")
        .endsWith("docs/benchmarks.md#what-limits-it");
  }

  @Test
  void withoutCompilerJavaHasToDo() {
    Map<Side, Double> sides = Map.of(Side.OFI4J, 9.0, Side.MEMORY, 8.5);
    Explanation why = explanation(List.of(row(Quantity.LOOKUP, sides)), Quantity.LOOKUP);
    assertThat(why.figures()).doesNotContainKey("memoryInC").containsEntry("instructions", 0.5);
    assertThat(why.text()).contains("take 8.50 ns in this run: ", "Memory alone takes more than");
  }

  @Test
  void searchesOneAfterTheOtherWaitForEachLoad() {
    List<Row> rows =
        new ArrayList<>(
            List.of(
                row(Quantity.LOOKUP, Map.of(Side.OFI4J, 4.0)),
                row(Quantity.FIND_IN_LOOKUPS, Map.of(Side.OFI4J, 50.0)),
                row(Quantity.FIND, Map.of(Side.OFI4J, 200.0, Side.MEMORY, 10.0)),
                row(Quantity.FIND_IN_TURN, Map.of(Side.MEMORY, 150.0))));
    Explanation why = explanation(rows, Quantity.FIND_IN_LOOKUPS);
    assertThat(why.work()).isEqualTo(Quantity.FIND);
    assertThat(why.figures())
        .contains(
            entry("measured", 200.0),
            entry("allowed", 32.0),
            entry("memoryInTurn", 150.0),
            entry("instructions", 50.0));
    assertThat(why.text())
        .contains("150 if each waits for the one before", "only to operations that overlap")
        .contains("(2 cache lines anywhere, 0.25 in a row)", "50 ns (25 %) are instructions:");
    rows.set(3, row(Quantity.FIND_IN_TURN, Map.of(Side.MEMORY, 250.0)));
    assertThat(explanation(rows, Quantity.FIND_IN_LOOKUPS).figures())
        .as("searches that overlap are held against loads that do")
        .containsEntry("instructions", 190.0);
  }

  @Test
  void removalInAnyOrderIsHeldAgainstTheirsInOrder() {
    List<Row> rows =
        List.of(
            row(Quantity.REMOVE_IN_ORDER, Map.of(Side.OFI4J, 10.0, Side.UDP, 60.0)),
            row(Quantity.REMOVE_RANDOMLY, Map.of(Side.OFI4J, 40.0, Side.MEMORY, 6.0)));
    assertThat(explanation(rows, Quantity.REMOVE_RANDOMLY).figures())
        .contains(entry("allowed", 15.0), entry("timesMemory", 40 / 6.0));
  }

  @Test
  void whatHasAControlIsHeldAgainstIt() {
    List<Row> rows =
        List.of(
            row(Quantity.READER_RATE, Map.of(Side.OFI4J, 90.0)),
            row(Quantity.READER_BESIDE_WRITER, Map.of(Side.OFI4J, 10.0)),
            row(Quantity.READER_BESIDE_OTHER, Map.of(Side.OFI4J, 9.0)),
            row(Quantity.GROWTH_WORST, Map.of(Side.OFI4J, 3_000_000.0)),
            row(Quantity.GROWTH_CONTROL, Map.of(Side.OFI4J, 1_000_000.0)));
    assertThat(explanation(rows, Quantity.READER_RATE).text()).contains("10 ns", "9 beside one of");
    assertThat(explanation(rows, Quantity.GROWTH_WORST).text())
        .contains("3,000,000 ns", "was 1,000,000");
  }

  @Test
  void elseTheRoundsAreShown() {
    Row one =
        new Row(
            Quantity.SYMMETRIC,
            MILLION,
            Map.of(Side.OFI4J, new Series(List.of(200_000.0, 300_000.0), true)));
    assertThat(explanation(List.of(one), Quantity.SYMMETRIC).text())
        .startsWith("Its 2 rounds are from 200,000 to 300,000 ns a call. ");
    Row memory = row(Quantity.SWEEP_LIVE, Map.of(Side.OFI4J, 15.0));
    assertThat(explanation(List.of(memory), Quantity.SWEEP_LIVE).text())
        .isEqualTo("No machine changes what the layout takes: docs/engine.md#cost");
  }

  private static Explanation explanation(List<Row> rows, Quantity quantity) {
    Bar bar = bar(rows, quantity);
    assertThat(bar.met()).isFalse();
    return Objects.requireNonNull(bar.explanation());
  }

  private static Bar bar(List<Row> rows, Quantity quantity) {
    return new Bars(rows)
        .all().stream().filter(bar -> bar.quantity().equals(quantity)).findFirst().orElseThrow();
  }

  private static Row row(Quantity quantity, Map<Side, Double> figures) {
    Map<Side, Series> sides = new EnumMap<>(Side.class);
    figures.forEach((side, figure) -> sides.put(side, new Series(List.of(figure), true)));
    return new Row(quantity, MILLION, sides);
  }
}
