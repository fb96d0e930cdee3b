// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;

/**
 * The bars that ofi4j has set itself for messages, at each size: as fast as libfabric's tcp
 * provider, and of a hundred round trips not even the slowest much slower than libfabric's; and
 * over one of libfabric's providers not much slower than C is over it.
 */
public final class MessagingBars {
  /** Up to here a stream is judged by its messages, from there on by its bytes. */
  public static final int SHORT = Peer.SHORT;

  /** How much longer than libfabric's the slowest of a hundred round trips may take. */
  private static final double TAIL = 1.1;

  // Over libfabric itself: what the calls and the copies may cost.
  private static final double OVER_ROUND_TRIP = 1.15;
  private static final double OVER_RATE = 0.75;
  private static final double OVER_BANDWIDTH = 0.9;

  private MessagingBars() {}

  /**
   * The bars.
   *
   * @param pureJava whether libfabric is only compared with, or what carries the messages here too
   */
  static List<Bar> of(List<Row> rows, boolean pureJava) {
    return pureJava ? besideLibfabric(rows) : overLibfabric(rows);
  }

  private static List<Bar> overLibfabric(List<Row> rows) {
    List<Bar> bars = new ArrayList<>();
    for (Row row : rows) {
      Quantity quantity = row.quantity();
      if (quantity.equals(Quantity.ROUND_TRIP)) {
        bars.add(bar(row, "at most 1.15 times libfabric's", OVER_ROUND_TRIP, false));
      } else if (row.size() <= SHORT && quantity.equals(Quantity.MESSAGES)) {
        bars.add(bar(row, "at least 0.75 times libfabric's", OVER_RATE, true));
      } else if (row.size() > SHORT && quantity.equals(Quantity.BANDWIDTH)) {
        bars.add(bar(row, "at least 0.9 times libfabric's", OVER_BANDWIDTH, true));
      }
    }
    return bars;
  }

  private static List<Bar> besideLibfabric(List<Row> rows) {
    List<Bar> bars = new ArrayList<>();
    for (Row row : rows) {
      Quantity quantity = row.quantity();
      if (quantity.equals(Quantity.ROUND_TRIP)) {
        bars.add(bar(row, "at most 1.0 times libfabric's", 1, false));
      } else if (quantity.equals(Quantity.ROUND_TRIP_TAIL)) {
        bars.add(bar(row, "at most 1.1 times libfabric's", TAIL, false));
      } else if (quantity.equals(row.size() > SHORT ? Quantity.BANDWIDTH : Quantity.MESSAGES)) {
        bars.add(bar(row, "at least 1.0 times libfabric's", 1, true));
      }
    }
    return bars;
  }

  private static Bar bar(Row row, String text, double limit, boolean atLeast) {
    Double ours = row.median(Side.OFI4J);
    Double theirs = row.median(Side.TCP);
    Double times = ours == null || theirs == null ? null : ours / theirs;
    Double allowed = theirs == null ? null : limit * theirs;
    return new Bar(row.quantity(), row.size(), text, times, limit, atLeast, allowed);
  }
}
