package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.HdrHistogram.Histogram;
import org.ofi4j.AddressVector;

/**
 * How long the longest single insert takes while a vector grows from nothing, one by one. A loop
 * that inserts nothing runs after it: what interrupts that one is the machine's doing.
 */
final class Growth {
  private static final int PART = 65_536;
  private static final int WARM_UP = 400_000;
  private static final int CONTROL_STORES = 8;

  /** The control loop runs for one part in so many of the time. */
  private static final int CONTROL_SHARE = 4;

  private static final long HIGHEST = 3_600_000_000_000L;

  private final FigureSink figures;
  private final TimeSource time;

  Growth(FigureSink figures, TimeSource time) {
    this.figures = figures;
    this.time = time;
  }

  /** Measures so many rounds after one with few peers that warms up. */
  void run(int peers, int rounds) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(Family.IPV4)) {
      Histogram insertions = new Histogram(HIGHEST, 3);
      Histogram gaps = new Histogram(HIGHEST, 3);
      AddressList part = AddressList.allocate(arena, Family.IPV4, PART);
      MemorySegment memory = arena.allocate(8L * PART * CONTROL_STORES, 64);
      control(memory, grow(factory, part, memory, Math.min(WARM_UP, peers), insertions), gaps);
      for (int round = 0; round < rounds; round++) {
        insertions.reset();
        gaps.reset();
        long nanos = grow(factory, part, memory, peers, insertions);
        control(memory, nanos, gaps);
        figures.add(Quantity.GROWTH_WORST, peers, (double) insertions.getMaxValue());
        figures.add(Quantity.GROWTH_TAIL, peers, (double) insertions.getValueAtPercentile(99.99));
        figures.add(Quantity.GROWTH_CONTROL, peers, (double) gaps.getMaxValue());
      }
    }
  }

  /** Answers how long the timed calls took together. */
  private long grow(
      VectorFactory factory, AddressList part, MemorySegment handle, int peers, Histogram times) {
    AddressList.Filler filler = AddressList.Filler.of(AddressPattern.SCATTERED, Family.IPV4, peers);
    try (AddressVector vector = factory.open(0)) {
      long nanos = 0;
      for (int done = 0; done < peers; done += PART) {
        part.fill(filler, done);
        nanos += insert(vector, part, handle, Math.min(PART, peers - done), times);
      }
      if (vector.size() != peers) {
        throw new IllegalStateException(vector.size() + " entries instead of " + peers);
      }
      return nanos;
    }
  }

  /** Times each call by itself: from the end of the one before to its own. */
  private long insert(
      AddressVector vector, AddressList part, MemorySegment handle, int count, Histogram times) {
    MemorySegment packed = part.packed();
    TimeSource clock = time;
    long begin = clock.now();
    long before = begin;
    for (int i = 0; i < count; i++) {
      vector.insert(packed.asSlice(16L * i, 16), 1, handle, null, 0, null);
      long after = clock.now();
      times.recordValue(Math.max(0, after - before));
      before = after;
    }
    return before - begin;
  }

  /**
   * Stores instead of inserts. It runs for a part of the time only, which is to the vector's
   * disadvantage: the shorter a loop, the less interrupts it.
   */
  private void control(MemorySegment memory, long nanos, Histogram times) {
    TimeSource clock = time;
    long end = clock.now() + nanos / CONTROL_SHARE;
    long before = clock.now();
    for (int i = 0; before < end; i++) {
      for (int store = 0; store < CONTROL_STORES; store++) {
        memory.setAtIndex(
            ValueLayout.JAVA_LONG, (long) store * PART + (Mixing.mix(i) & PART - 1), i);
      }
      long after = clock.now();
      times.recordValue(Math.max(0, after - before));
      before = after;
    }
  }
}
