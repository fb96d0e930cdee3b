// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;

/**
 * What a vector holds after each of several rounds, in which its addresses are exchanged for others
 * ten million times. In a round all of them are so one by one, in random order, and then several
 * times many together, and as often all, which takes less time. No clock runs here.
 */
record LongChurn(FigureSink figures) {
  /** With no more peers than that each entry is exchanged 600 times. */
  private static final int MOST_PEERS = 16_000;

  private static final int MANY_PEERS = 10_000;
  private static final int TOGETHER = 64;
  private static final long ALL_CYCLES = 10_000_000;
  private static final long FEW_CYCLES = 1_000_000;

  void run(int wanted, int rounds) {
    int peers = Math.min(wanted, MOST_PEERS);
    long all = peers < MANY_PEERS ? FEW_CYCLES : ALL_CYCLES;
    long repetitions = Math.ceilDiv(all, (long) peers * rounds);
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(Family.IPV4);
        AddressVector vector = factory.open(0)) {
      Workload work = Workload.withOthers(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
      MemorySegment handles = arena.allocate(8L * peers, 64);
      AddressList next = work.addresses();
      AddressList after = Objects.requireNonNull(work.others());
      vector.insert(next.packed(), peers, handles, null, 0, null);
      for (int round = 0; round < rounds; round++) {
        for (long i = 0; i < repetitions; i++) {
          AddressList former = next;
          next = after;
          after = former;
          if (i == 0) {
            VectorWork.churn(vector, next, handles, work.order(), peers);
          } else {
            exchange(vector, next, handles, i % 2 == 0 ? peers : Math.min(peers, TOGETHER));
          }
          Subject.check(vector.size(), peers, "entries after exchanging addresses");
        }
        figures.add(Quantity.CHURN_HELD, peers, vector.statistics().memory().heldPerPeer(peers));
      }
    }
  }

  /** Exchanges all entries, so many together. */
  private static void exchange(
      AddressVector vector, AddressList others, MemorySegment handles, int together) {
    long length = others.family().length();
    for (int first = 0; first < others.count(); first += together) {
      int count = Math.min(together, others.count() - first);
      MemorySegment some = handles.asSlice(8L * first, 8L * count);
      vector.remove(some, count, 0);
      vector.insert(
          others.packed().asSlice(first * length, count * length), count, some, null, 0, null);
    }
  }
}
