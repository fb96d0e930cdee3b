// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;

/**
 * The bars that ofi4j has set itself for named vectors: of a million peers, or else of the most.
 */
public final class NamedBars {
  /** What must not take much longer than in a private vector. */
  public static final List<Quantity> LOOKUPS =
      List.of(
          Quantity.SHARED_LOOKUP,
          Quantity.SHARED_LOOKUP_IN_RUN,
          Quantity.SHARED_FIND,
          Quantity.SHARED_FIND_IN_RUN);

  /** How many milliseconds opening may take. */
  private static final double WARM = 5;

  /** The same in a JVM that has opened nothing before. */
  private static final double FIRST = 60;

  /** How many times as long as in a private vector. */
  private static final double TIMES = 1.2;

  private final List<Row> rows;
  private final List<Bar> bars = new ArrayList<>();

  private NamedBars(List<Row> rows) {
    this.rows = rows;
  }

  static List<Bar> of(List<Row> rows) {
    NamedBars named = new NamedBars(rows);
    for (Opening opening : Opening.values()) {
      named.atMost(opening, Side.OFI4J, WARM, "at most 5 ms");
    }
    for (Opening opening : Opening.values()) {
      named.atMost(opening, Side.OFI4J_FIRST, FIRST, "first in a JVM: at most 60 ms");
    }
    LOOKUPS.forEach(named::asPrivate);
    return List.copyOf(named.bars);
  }

  private void atMost(Opening opening, Side side, double limit, String text) {
    Row row = row(opening.quantity());
    Double measured = row == null ? null : row.median(side);
    bars.add(Bar.of(opening.quantity(), row, text, measured, limit, false, limit));
  }

  private void asPrivate(Quantity quantity) {
    Row row = row(quantity);
    Double own = row == null ? null : row.median(Side.PRIVATE);
    bars.add(
        Bar.of(
            quantity,
            row,
            "at most 1.2 times as in a private vector",
            row == null ? null : times(row),
            TIMES,
            false,
            own == null ? null : TIMES * own));
  }

  /**
   * How many times as long as in a private vector: of each round, as both see the same neighbours
   * then, and of these the median.
   */
  static @Nullable Double times(Row row) {
    Series ours = row.of(Side.OFI4J);
    Series own = row.of(Side.PRIVATE);
    if (ours == null || own == null || ours.rounds().size() != own.rounds().size()) {
      return null;
    }
    List<Double> times = new ArrayList<>();
    for (int round = 0; round < ours.rounds().size(); round++) {
      times.add(ours.rounds().get(round) / own.rounds().get(round));
    }
    return new Series(times).median();
  }

  private @Nullable Row row(Quantity quantity) {
    return Row.usual(rows.stream().filter(row -> row.quantity().equals(quantity)));
  }
}
