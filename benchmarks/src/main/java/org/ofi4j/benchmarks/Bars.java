package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The bars that ofi4j has set itself: IPv4, a million peers, against libfabric's udp provider. */
final class Bars {
  private static final long SIZE = 1_000_000;

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
    memory(AddressPattern.CONSECUTIVE, Family.IPV4, 1, 1);
    memory(AddressPattern.SCATTERED, Family.IPV4, 14, 16);
    memory(AddressPattern.SCATTERED, Family.IPV6, 40, 40);
    return bars;
  }

  private void faster(Quantity quantity, double times) {
    Row row = row(quantity, candidate -> candidate.ratio().isPresent());
    add(
        quantity,
        row,
        "at least " + (int) times + " times faster",
        row == null ? null : row.ratio().orElseThrow(),
        times,
        true);
  }

  private void atMost(Quantity quantity, double limit, String text) {
    atMost(quantity, limit, text, Series::median);
  }

  private void atMost(
      Quantity quantity, double limit, String text, ToDoubleFunction<Series> figure) {
    Row row = row(quantity, candidate -> candidate.of(Side.OFI4J) != null);
    add(quantity, row, text, figure(row, figure), limit, false);
  }

  private static @Nullable Double figure(@Nullable Row row, ToDoubleFunction<Series> figure) {
    Series series = row == null ? null : row.of(Side.OFI4J);
    return series == null ? null : figure.applyAsDouble(series);
  }

  private void memory(AddressPattern pattern, Family family, int live, int held) {
    atMost(Quantity.live(pattern, family), live, "at most " + bytes(live), Series::most);
    atMost(Quantity.held(pattern, family), held, "at most " + bytes(held), Series::most);
  }

  private static String bytes(int number) {
    return number == 1 ? "1 byte" : number + " bytes";
  }

  /** Ours in any order against libfabric's in order: its random one takes forever. */
  private void removeRandomly() {
    Row random = row(Quantity.REMOVE_RANDOMLY, each -> each.of(Side.OFI4J) != null);
    Row order = row(Quantity.REMOVE_IN_ORDER, each -> each.of(Side.UDP) != null);
    Series ours = random == null ? null : random.of(Side.OFI4J);
    Series udp = order == null ? null : order.of(Side.UDP);
    add(
        Quantity.REMOVE_RANDOMLY,
        random,
        "at least 4 times faster than udp in order",
        ours == null || udp == null ? null : udp.median() / ours.median(),
        4,
        true);
  }

  private void add(
      Quantity quantity,
      @Nullable Row row,
      String text,
      @Nullable Double measured,
      double limit,
      boolean atLeast) {
    bars.add(new Bar(quantity, row == null ? 0 : row.peers(), text, measured, limit, atLeast));
  }

  /** The row with a million peers, or else with the most. */
  private @Nullable Row row(Quantity quantity, java.util.function.Predicate<Row> usable) {
    Row found = null;
    for (Row row : rows) {
      if (row.quantity().equals(quantity) && usable.test(row)) {
        if (row.peers() == SIZE) {
          return row;
        }
        if (found == null || row.peers() > found.peers()) {
          found = row;
        }
      }
    }
    return found;
  }
}
