// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What a vector holds after each of several rounds, in which its addresses come and go ten million
 * times. In a round all of them do so one by one, and then several times many together, and as
 * often all, which takes less time. No clock runs here.
 */
final class LongChurn {
  /** With no more peers than that each entry goes and comes 600 times. */
  private static final int MOST_PEERS = 16_000;

  private static final int MANY_PEERS = 10_000;
  private static final int TOGETHER = 64;
  private static final long ALL_CYCLES = 10_000_000;
  private static final long FEW_CYCLES = 1_000_000;

  private final FigureSink figures;

  LongChurn(FigureSink figures) {
    this.figures = figures;
  }

  void run(int wanted, int rounds) {
    int peers = Math.min(wanted, MOST_PEERS);
    long all = peers < MANY_PEERS ? FEW_CYCLES : ALL_CYCLES;
    long repetitions = Math.ceilDiv(all, (long) peers * rounds);
    try (Arena arena = Arena.ofShared();
        Ofi4jSubject subject = new Ofi4jSubject(TimeSource.WALL)) {
      subject.load(Workload.withOthers(arena, AddressPattern.SCATTERED, Family.IPV4, peers));
      subject.insert(false);
      for (int round = 0; round < rounds; round++) {
        subject.churn(peers);
        for (long i = 1; i < repetitions; i++) {
          subject.churnTogether(i % 2 == 0 ? peers : Math.min(peers, TOGETHER));
        }
        figures.add(Quantity.CHURN_HELD, peers, subject.memory().heldPerPeer(subject.size()));
      }
    }
  }
}
