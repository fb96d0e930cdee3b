// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bars that ofi4j has set itself for messages, at each size: as fast as libfabric's tcp
 * provider, and of a hundred round trips not even the slowest much slower than libfabric's.
 */
final class PingpongBars {
  /** Up to here a stream is judged by its messages, from there on by its bytes. */
  static final int SHORT = 4096;

  /** How much longer than libfabric's the slowest of a hundred round trips may take. */
  private static final double TAIL = 1.1;

  private PingpongBars() {}

  static List<Bar> of(List<Row> rows) {
    List<Bar> bars = new ArrayList<>();
    for (Row row : rows) {
      Quantity quantity = row.quantity();
      if (quantity.equals(Quantity.ROUND_TRIP)) {
        bars.add(
            new Bar(quantity, row.size(), "at most 1.0 times libfabric's", times(row), 1, false));
      } else if (quantity.equals(Quantity.ROUND_TRIP_TAIL)) {
        bars.add(
            new Bar(
                quantity, row.size(), "at most 1.1 times libfabric's", times(row), TAIL, false));
      } else if (quantity.equals(row.size() > SHORT ? Quantity.BANDWIDTH : Quantity.MESSAGES)) {
        bars.add(
            new Bar(quantity, row.size(), "at least 1.0 times libfabric's", times(row), 1, true));
      }
    }
    PingpongExplanations explanations = new PingpongExplanations(rows);
    bars.replaceAll(explanations::explained);
    return bars;
  }

  /** Ours over that of libfabric. */
  private static @Nullable Double times(Row row) {
    return row.ratio(Side.TCP).isPresent() ? 1 / row.ratio(Side.TCP).getAsDouble() : null;
  }
}
