// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;

/** The bars that ofi4j has set itself: IPv4, a million peers, against libfabric's udp provider. */
final class Bars {
  private static final long LEAST_SCATTERED = 64_000;

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
    atMost(Quantity.SYMMETRIC_ARRAY, 2, "at most 2 ns an element");
    scattered(Quantity.live(AddressPattern.SCATTERED, Family.IPV4), 14.7, "at most 14.7 bytes");
    scattered(Quantity.held(AddressPattern.SCATTERED, Family.IPV4), 16, "at most 16 bytes");
    atMost(Quantity.held(AddressPattern.SCATTERED, Family.IPV6), 40, "at most 40 bytes");
    atMost(Quantity.held(AddressPattern.CONSECUTIVE, Family.IPV4), 1, "less than 1 byte");
    residentMemory();
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

  /** A test of core looks at each size from 64k on; with fewer peers there is no bar. */
  private void scattered(Quantity quantity, double limit, String text) {
    Row row = row(quantity, each -> each.size() >= LEAST_SCATTERED);
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

  private @Nullable Row rowOfOurs(Quantity quantity) {
    return row(quantity, row -> row.of(Side.OFI4J) != null);
  }

  private static @Nullable Double median(@Nullable Row row) {
    return row == null ? null : row.median(Side.OFI4J);
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
