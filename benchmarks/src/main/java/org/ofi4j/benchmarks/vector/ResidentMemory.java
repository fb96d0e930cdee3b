// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Machine;
import org.ofi4j.benchmarks.figure.Quantity;

/**
 * Private memory that the system counts, in a JVM that does nothing else. The compiler's own memory
 * grows before the vectors do: others are filled first. All stay open, because memory that one gave
 * back would be there already.
 */
final class ResidentMemory {
  private static final int PART = 65_536;
  private static final int WARM_UP = 2 * PART;

  private final FigureSink figures;

  ResidentMemory(FigureSink figures) {
    this.figures = figures;
  }

  /** Measures once, the smallest first; perhaps none of IPv6. */
  void run(int peers, int longPeers) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory ipv4 = new VectorFactory(Family.IPV4);
        VectorFactory ipv6 = new VectorFactory(Family.IPV6)) {
      AddressList few = AddressList.allocate(arena, Family.IPV4, PART);
      AddressList fewLong = AddressList.allocate(arena, Family.IPV6, PART);
      MemorySegment handles = arena.allocate(8L * PART, 64);
      try (AddressVector warm = ipv4.open(0);
          AddressVector warmLong = ipv6.open(0);
          AddressVector consecutive = ipv4.open(0);
          AddressVector scattered = ipv4.open(0);
          AddressVector scatteredLong = ipv6.open(0)) {
        insert(warm, AddressPattern.CONSECUTIVE, few, handles, WARM_UP);
        insert(warm, AddressPattern.SCATTERED, few, handles, WARM_UP);
        insert(warmLong, AddressPattern.SCATTERED, fewLong, handles, PART);
        fill(consecutive, AddressPattern.CONSECUTIVE, few, handles, peers);
        fill(scattered, AddressPattern.SCATTERED, few, handles, peers);
        if (longPeers > 0) {
          fill(scatteredLong, AddressPattern.SCATTERED, fewLong, handles, longPeers);
        }
      }
    }
  }

  private void fill(
      AddressVector vector,
      AddressPattern pattern,
      AddressList part,
      MemorySegment handles,
      int peers) {
    long before = Machine.resident();
    insert(vector, pattern, part, handles, peers);
    long after = Machine.resident();
    figures.add(
        Quantity.resident(pattern, part.family()), peers, (double) (after - before) / peers);
  }

  private static void insert(
      AddressVector vector,
      AddressPattern pattern,
      AddressList part,
      MemorySegment handles,
      int peers) {
    AddressList.Filler filler = AddressList.Filler.of(pattern, part.family(), peers);
    for (int done = 0; done < peers; done += PART) {
      int count = Math.min(PART, peers - done);
      AddressList some = new AddressList(part.family(), part.packed(), count);
      some.fill(filler, done);
      vector.insert(some.packed(), count, handles, null, 0, null);
    }
  }
}
