// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One quantity at one size.
 *
 * @param quantity what was measured
 * @param size with how many addresses, or with messages of how many bytes
 * @param sides the figures of each side that took part
 */
public record Row(Quantity quantity, long size, Map<Side, Series> sides) {
  /** Keeps a copy. */
  public Row {
    sides = new EnumMap<>(sides);
  }

  /** The size that bars are about, where it was measured. */
  public static final long USUAL_SIZE = 1_000_000;

  /** Of some rows the one with a million peers, or else with the most; null if there is none. */
  public static @Nullable Row usual(Stream<Row> rows) {
    Comparator<Row> order = Comparator.comparing(row -> row.size() == USUAL_SIZE);
    return rows.max(order.thenComparingLong(Row::size)).orElse(null);
  }

  /** The median of one side, or null if it took no part. */
  public @Nullable Double median(Side side) {
    Series series = of(side);
    return series == null ? null : series.median();
  }

  /** The figures of one side, or null if it took no part. */
  public @Nullable Series of(Side side) {
    return sides.get(side);
  }

  /** How many times as much libfabric's udp provider needs. */
  public OptionalDouble ratio() {
    return ratio(Side.UDP);
  }

  /** The median of another side over that of ofi4j, or nothing without one of them. */
  public OptionalDouble ratio(Side other) {
    return ratio(Side.OFI4J, other);
  }

  /** The median of another side over that of a mode of ofi4j, or nothing without one of them. */
  public OptionalDouble ratio(Side mode, Side other) {
    Series ours = of(mode);
    Series theirs = of(other);
    return ours == null || theirs == null || ours.median() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(theirs.median() / ours.median());
  }
}
