// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.ofi4j.AddressVector;
import org.ofi4j.MemoryUse;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;

/**
 * Memory for each peer at every size: a vector grows from 64k entries in steps of 2 %, and the
 * worst that it ever took counts. Tables that double would be twice as large at some of the sizes.
 */
record MemorySweep(FigureSink figures) {
  private static final int FIRST = 64_000;
  private static final int PART = 1 << 18;

  /** Grows a vector to that size. */
  void run(int peers) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(Family.IPV4);
        AddressVector vector = factory.open(0)) {
      AddressParts parts = new AddressParts(arena, AddressPattern.SCATTERED, Family.IPV4, PART);
      double live = 0;
      double held = 0;
      long size = 0;
      for (double next = FIRST; next <= peers; next *= 1.02) {
        parts.insert(vector, size, (long) next);
        size = (long) next;
        MemoryUse memory = vector.statistics().memory();
        live = Math.max(live, memory.livePerPeer(size));
        held = Math.max(held, memory.heldPerPeer(size));
      }
      figures.add(Quantity.SWEEP_LIVE, peers, live);
      figures.add(Quantity.SWEEP_HELD, peers, held);
    }
  }
}
