// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.MemoryUse;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;

/**
 * What a vector of a service is like after very many exchanges: 2,048 peers, of which one at a time
 * goes and comes again, in random order, so that each index is used again and again. Held against a
 * vector just like it that has had a million, by turns of 8,192 exchanges: both see the same
 * machine, and a round is worth the median of its pairs.
 */
final class ManyExchanges implements Prepared {
  static final int PEERS = 2048;

  /** What the other vector has had, before any turn. */
  static final int FEW = 1_000_000;

  private static final int TURN = 8192;
  private static final int PAIRS = 32;

  /** Exchanges that the compiler is given beside the measured ones. */
  private static final int WARM_UP_ROUNDS = 1;

  private final FigureSink figures;
  private final TimeSource time;
  private final int rounds;
  private final Arena arena = Arena.ofConfined();
  private final VectorFactory factory = new VectorFactory(Family.IPV4);
  private final Workload workload =
      Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, PEERS);
  private final Exchanged few = new Exchanged();
  private final Exchanged many = new Exchanged();

  /** What it took after the first million. */
  private final MemoryUse before;

  /** Does so many exchanges, beyond which time and memory are looked at. */
  ManyExchanges(FigureSink figures, TimeSource time, int exchanges, int rounds) {
    this.figures = figures;
    this.time = time;
    this.rounds = rounds;
    int early = Math.min(FEW, exchanges);
    few.exchange(early);
    many.exchange(early);
    before = many.vector.statistics().memory();
    many.exchange(exchanges - early);
  }

  @Override
  public void measure() {
    for (int round = -WARM_UP_ROUNDS; round < rounds; round++) {
      double[] early = new double[PAIRS];
      double[] late = new double[PAIRS];
      double[] ratios = new double[PAIRS];
      for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < 2; i++) {
          boolean first = (pair + round & 1) == i;
          (first ? early : late)[pair] = nanos(first ? few : many);
        }
        ratios[pair] = 100 * late[pair] / early[pair];
      }
      if (round >= 0) {
        figures.add(Quantity.EXCHANGE_EARLY, PEERS, Series.median(early));
        figures.add(Quantity.EXCHANGE_LATE, PEERS, Series.median(late));
        figures.add(Quantity.EXCHANGE_TIME, PEERS, Series.median(ratios));
        figures.add(Quantity.EXCHANGE_MEMORY, PEERS, memory());
      }
    }
  }

  private double nanos(Exchanged vector) {
    long begin = time.now();
    vector.exchange(TURN);
    return (double) (time.now() - begin) / TURN;
  }

  /** Percent of what it took after a million, live or held, whichever is more. */
  private double memory() {
    MemoryUse after = many.vector.statistics().memory();
    return 100
        * Math.max((double) after.live() / before.live(), (double) after.held() / before.held());
  }

  @Override
  public void close() {
    few.vector.close();
    many.vector.close();
    factory.close();
    arena.close();
  }

  /** A vector whose peers go and come. */
  private final class Exchanged {
    private final AddressVector vector = factory.open(0);
    private final MemorySegment handles = arena.allocate(8L * PEERS, 64);
    private int next;

    Exchanged() {
      AddressList addresses = workload.addresses();
      Subject.check(
          vector.insert(addresses.packed(), PEERS, handles, null, 0, null), PEERS, "inserted");
    }

    void exchange(int exchanges) {
      int[] order = workload.order();
      for (int i = 0; i < exchanges; i++) {
        int at = order[next];
        next = next + 1 == PEERS ? 0 : next + 1;
        MemorySegment handle = handles.asSlice(8L * at, 8);
        vector.remove(handle, 1, 0);
        vector.insert(workload.addresses().at(at), 1, handle, null, 0, null);
      }
      Subject.check(vector.size(), PEERS, "peers after an exchange");
    }
  }
}
