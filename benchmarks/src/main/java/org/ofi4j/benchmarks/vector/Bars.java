// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;

/** The bars that ofi4j has set itself: IPv4, a million peers, against libfabric's udp provider. */
final class Bars {
  private static final double MILLI = 1_000_000;

  private final List<Row> rows;
  private final List<Bar> bars = new ArrayList<>();

  Bars(List<Row> rows) {
    this.rows = rows;
  }

  List<Bar> all() {
    bars.clear();
    faster(Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true), 15);
    faster(Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, false), 5);
    faster(Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false), 100);
    atMost(Quantity.LOOKUP, 8, "at most 8 ns");
    faster(Quantity.LOOKUP, 5);
    atMost(Quantity.FIND_IN_LOOKUPS, 8, "at most 8 lookups");
    faster(Quantity.REMOVE_IN_ORDER, 4);
    removeRandomly();
    atMost(Quantity.SYMMETRIC, 100_000, "at most 100 us");
    atMost(Quantity.SYMMETRIC_MEMORY, 1023, "less than 1 KiB");
    atMost(Quantity.SYMMETRIC_ARRAY, 2, "at most 2 ns an element");
    atMost(Quantity.SWEEP_LIVE, 14, "at most 14 bytes");
    atMost(Quantity.SWEEP_HELD, 16, "at most 16 bytes");
    atMost(Quantity.held(AddressPattern.SCATTERED, Family.IPV6), 40, "at most 40 bytes");
    atMost(Quantity.held(AddressPattern.CONSECUTIVE, Family.IPV4), 1, "less than 1 byte");
    residentMemory();
    growth();
    churn();
    atMost(Quantity.EXCHANGE_TIME, 105, "at most 105 %");
    atMost(Quantity.EXCHANGE_MEMORY, 105, "at most 105 %");
    add(Quantity.READER_RATE, rowOfOurs(Quantity.READER_RATE), "at least 95 %", 95);
    return List.copyOf(bars);
  }

  private void faster(Quantity quantity, double times) {
    Row row = row(quantity, candidate -> candidate.ratio().isPresent());
    Double udp = row == null ? null : row.median(Side.UDP);
    bars.add(
        Bar.of(
            quantity,
            row,
            "at least " + (int) times + " times faster",
            row == null ? null : row.ratio().orElseThrow(),
            times,
            true,
            udp == null ? null : udp / times));
  }

  private void atMost(Quantity quantity, double limit, String text) {
    Row row = rowOfOurs(quantity);
    bars.add(Bar.of(quantity, row, text, median(row), limit, false, limit));
  }

  /** Ours in any order against libfabric's in order: its random one takes forever. */
  private void removeRandomly() {
    Row random = row(Quantity.REMOVE_RANDOMLY, each -> each.of(Side.OFI4J) != null);
    Row order = row(Quantity.REMOVE_IN_ORDER, each -> each.of(Side.UDP) != null);
    Double ours = median(random);
    Double udp = order == null ? null : order.median(Side.UDP);
    bars.add(
        Bar.of(
            Quantity.REMOVE_RANDOMLY,
            random,
            "at least 4 times faster than udp in order",
            ours == null || udp == null ? null : udp / ours,
            4,
            true,
            udp == null ? null : udp / 4));
  }

  /** Where the process itself counts least. */
  private void residentMemory() {
    Quantity quantity = Quantity.resident(AddressPattern.SCATTERED, Family.IPV4);
    Row largest =
        rows.stream()
            .filter(row -> row.quantity().equals(quantity))
            .max(Comparator.comparingLong(Row::size))
            .orElse(null);
    bars.add(Bar.of(quantity, largest, "at most 16 bytes", median(largest), 16, false, 16.0));
  }

  /** What the machine does to a loop that inserts nothing is no fault of the vector's. */
  private void growth() {
    Row worst = rowOfOurs(Quantity.GROWTH_WORST);
    Double inserting = median(worst);
    Double control = median(rowOfOurs(Quantity.GROWTH_CONTROL));
    bars.add(
        Bar.of(
            Quantity.GROWTH_WORST,
            worst,
            "at most 1 ms more than a loop without",
            inserting == null || control == null ? null : Math.max(0, inserting - control),
            MILLI,
            false,
            control == null ? null : control + MILLI));
  }

  /**
   * The most of the second half against the most of the first: a vector takes memory in steps, and
   * the last one that it needs may come in one of the first rounds.
   */
  private void churn() {
    Row row = rowOfOurs(Quantity.CHURN_HELD);
    Series series = row == null ? null : row.of(Side.OFI4J);
    bars.add(
        Bar.of(
            Quantity.CHURN_HELD,
            row,
            "not more in the second half of the rounds than in the first",
            series == null ? null : growth(series.rounds()),
            1.01,
            false,
            null));
  }

  private static double growth(List<Double> rounds) {
    int half = Math.ceilDiv(rounds.size(), 2);
    double before = Collections.max(rounds.subList(0, half));
    return rounds.size() == 1 ? 1 : Collections.max(rounds.subList(half, rounds.size())) / before;
  }

  private @Nullable Row rowOfOurs(Quantity quantity) {
    return row(quantity, row -> row.of(Side.OFI4J) != null);
  }

  private static @Nullable Double median(@Nullable Row row) {
    return row == null ? null : row.median(Side.OFI4J);
  }

  private void add(Quantity quantity, @Nullable Row row, String text, double atLeast) {
    bars.add(Bar.of(quantity, row, text, median(row), atLeast, true, atLeast));
  }

  /** The row with a million peers, or else with the most; for times with less than a million. */
  private @Nullable Row row(Quantity quantity, Predicate<Row> usable) {
    boolean isTime = quantity.unit() == Unit.NANOS || quantity.unit() == Unit.TIMES;
    long most = isTime ? Row.USUAL_SIZE : Long.MAX_VALUE;
    return Row.usual(
        rows.stream()
            .filter(row -> row.quantity().equals(quantity) && row.size() <= most)
            .filter(usable));
  }
}
