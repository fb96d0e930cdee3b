// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes the times of one side during one round. Small work is repeated within a round, so that the
 * clock and the call do not count; the figure of the round is the mean of its repetitions.
 */
public final class Recorder {
  private record Sum(double total, double weight) {
    Sum plus(double more, double moreWeight) {
      return new Sum(total + more, weight + moreWeight);
    }
  }

  private final FigureSink figures;
  private final Side side;
  private final long peers;
  private final int round;
  private final Map<Quantity, Sum> sums = new LinkedHashMap<>();

  public Recorder(FigureSink figures, Side side, long peers, int round) {
    this.figures = figures;
    this.side = side;
    this.peers = peers;
    this.round = round;
  }

  /** Which round it is, from 0; also while warming up. */
  public int round() {
    return round;
  }

  /** Time for all peers. */
  public void nanos(Quantity quantity, long nanos) {
    nanos(quantity, nanos, peers);
  }

  /** Time for so many calls or cycles. */
  public void nanos(Quantity quantity, long nanos, long calls) {
    sums.merge(quantity, new Sum(nanos, calls), (old, more) -> old.plus(more.total, more.weight));
  }

  /** A figure as it is. */
  public void figure(Quantity quantity, double figure) {
    sums.merge(quantity, new Sum(figure, 1), (old, more) -> old.plus(more.total, more.weight));
  }

  /** Ends the round. */
  public void flush() {
    sums.forEach((quantity, sum) ->
        figures.add(new Figure(quantity, peers, side, sum.total() / sum.weight())));
    sums.clear();
  }
}
