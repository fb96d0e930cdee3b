// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;

/** What is measured of groups, and the bars that ofi4j has set itself: of the largest one. */
public final class ClusterBars {
  static final Quantity NEWCOMER =
      new Quantity("cluster-newcomer", "a newcomer's vector is full", Unit.MILLIS);
  static final Quantity JOINS =
      new Quantity("cluster-joins", "one joins: in the vector, after the event", Unit.MILLIS);
  static final Quantity LEAVES =
      new Quantity("cluster-leaves", "one leaves: out of it, after the event", Unit.MILLIS);
  static final Quantity READS =
      new Quantity("cluster-reads", "reads of ZooKeeper for one change", Unit.READS);
  static final Quantity BYTES =
      new Quantity("cluster-bytes", "bytes read for one change", Unit.BYTES_IN_ALL);
  static final Quantity COPIES =
      new Quantity("cluster-copies", "copies of the entries in 8 processes of a node", Unit.TIMES);
  static final Quantity PROCESSES =
      new Quantity("cluster-processes", "JVMs of a job start and connect", Unit.MILLIS);
  static final Quantity JOB =
      new Quantity("cluster-job", "a job joins, all have all handles", Unit.MILLIS);

  private static final double NEWCOMER_MILLIS = 2_000;
  private static final double CHANGE_MILLIS = 100;
  private static final double JOB_MILLIS = 3_000;

  /** A file has its header, and its last page is not full. */
  private static final double ONE_COPY = 1.01;

  /** How many times the work of a small group a large one may make. */
  private static final double GROWTH = 1.2;

  private final List<Row> rows;
  private final List<Bar> bars = new ArrayList<>();

  private ClusterBars(List<Row> rows) {
    this.rows = rows;
  }

  static List<Bar> of(List<Row> rows) {
    ClusterBars bars = new ClusterBars(rows);
    bars.atMost(NEWCOMER, Side.OFI4J_FIRST, NEWCOMER_MILLIS, "first in a JVM: at most 2 s", false);
    bars.atMost(JOINS, Side.OFI4J, CHANGE_MILLIS, "the worst at most 100 ms", true);
    bars.atMost(LEAVES, Side.OFI4J, CHANGE_MILLIS, "the worst at most 100 ms", true);
    bars.asSmall(READS);
    bars.asSmall(BYTES);
    bars.atMost(COPIES, Side.OFI4J, ONE_COPY, "one, in all of them together", false);
    bars.atMost(JOB, Side.OFI4J_FIRST, JOB_MILLIS, "first in the JVMs: at most 3 s", false);
    return List.copyOf(bars.bars);
  }

  private void atMost(Quantity quantity, Side side, double limit, String text, boolean worst) {
    Row row = rows(quantity).max(Comparator.comparingLong(Row::size)).orElse(null);
    Series series = row == null ? null : row.of(side);
    Double measured = series == null ? null : worst ? series.most() : series.median();
    bars.add(Bar.of(quantity, row, text, measured, limit, false, limit));
  }

  private void asSmall(Quantity quantity) {
    Row large = rows(quantity).max(Comparator.comparingLong(Row::size)).orElse(null);
    Row small = rows(quantity).min(Comparator.comparingLong(Row::size)).orElse(null);
    Double ours = null;
    Double least = null;
    if (large != null && small != null && large.size() > small.size()) {
      ours = large.median(Side.OFI4J);
      least = small.median(Side.OFI4J);
    }
    bars.add(
        Bar.of(
            quantity,
            large,
            "at most 1.2 times those of the smallest",
            ours == null || least == null ? null : ours / least,
            GROWTH,
            false,
            least == null ? null : GROWTH * least));
  }

  private Stream<Row> rows(Quantity quantity) {
    return rows.stream().filter(row -> row.quantity().equals(quantity));
  }
}
