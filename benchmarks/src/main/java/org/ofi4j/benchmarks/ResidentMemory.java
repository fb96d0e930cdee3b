package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;

/**
 * Private memory that the system counts, in a JVM that does nothing else. The compiler's own memory
 * grows before the vector does: another one is filled first. It stays open, because memory that it
 * gave back would be there already.
 */
final class ResidentMemory {
  private static final int PART = 65_536;
  private static final int WARM_UP = 200_000;

  private final FigureSink figures;

  ResidentMemory(FigureSink figures) {
    this.figures = figures;
  }

  /** Measures once. */
  void run(int peers, AddressPattern pattern, Family family) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(family)) {
      AddressList part = AddressList.allocate(arena, family, PART);
      MemorySegment handles = arena.allocate(8L * PART, 64);
      try (AddressVector warm = factory.open(0);
          AddressVector vector = factory.open(0)) {
        insert(warm, pattern, part, handles, WARM_UP);
        long before = Machine.resident();
        insert(vector, pattern, part, handles, peers);
        long after = Machine.resident();
        figures.add(Quantity.resident(pattern, family), peers, (double) (after - before) / peers);
      }
    }
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
