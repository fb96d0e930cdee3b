package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;
import org.ofi4j.AddressVector;

/**
 * How long the longest single insert takes while a vector grows from nothing, one by one. A loop
 * that inserts nothing runs as long after it: what interrupts that one is the machine's doing.
 */
final class Growth {
  private static final int PART = 65_536;
  private static final int CONTROL_STORES = 8;
  private static final long HIGHEST = 3_600_000_000_000L;

  private final Results results;
  private final TimeSource time;

  Growth(Results results, TimeSource time) {
    this.results = results;
    this.time = time;
  }

  /** Measures so many rounds after one that warms up. */
  void run(int peers, int rounds) {
    try (Arena arena = Arena.ofConfined();
        VectorFactory factory = new VectorFactory(Family.IPV4)) {
      Histogram insertions = new Histogram(HIGHEST, 3);
      Histogram gaps = new Histogram(HIGHEST, 3);
      AddressList part = AddressList.allocate(arena, Family.IPV4, PART);
      MemorySegment memory = arena.allocate(8L * PART * CONTROL_STORES, 64);
      for (int round = -1; round < rounds; round++) {
        insertions.reset();
        gaps.reset();
        long nanos = grow(factory, part, memory, peers, insertions);
        control(memory, nanos, gaps);
        if (round >= 0) {
          add(Quantity.GROWTH_WORST, peers, (double) insertions.getMaxValue());
          add(Quantity.GROWTH_TAIL, peers, (double) insertions.getValueAtPercentile(99.99));
          add(Quantity.GROWTH_CONTROL, peers, (double) gaps.getMaxValue());
        }
      }
    }
  }

  private void add(Quantity quantity, int peers, double nanos) {
    results.add(quantity, peers, Side.OFI4J, nanos);
  }

  /** Answers how long the timed calls took together. */
  private long grow(
      VectorFactory factory, AddressList part, MemorySegment handle, int peers, Histogram times) {
    AddressList.Filler filler = AddressList.Filler.of(AddressPattern.SCATTERED, Family.IPV4, peers);
    MemorySegment packed = part.packed();
    try (AddressVector vector = factory.open(0)) {
      long nanos = 0;
      for (int done = 0; done < peers; done += PART) {
        part.fill(filler, done);
        nanos +=
            timed(
                Math.min(PART, peers - done),
                i -> vector.insert(packed.asSlice(16L * i, 16), 1, handle, null, 0, null),
                times);
      }
      if (vector.size() != peers) {
        throw new IllegalStateException(vector.size() + " entries instead of " + peers);
      }
      return nanos;
    }
  }

  private void control(MemorySegment memory, long nanos, Histogram times) {
    long left = nanos;
    while (left > 0) {
      left -=
          timed(
              PART,
              i -> {
                for (int store = 0; store < CONTROL_STORES; store++) {
                  memory.setAtIndex(
                      ValueLayout.JAVA_LONG, (long) store * PART + (Mixing.mix(i) & 0xFFFF), i);
                }
              },
              times);
    }
  }

  /** Times each call by itself: from the end of the one before to its own. */
  private long timed(int count, IntConsumer call, Histogram times) {
    long begin = time.now();
    long before = begin;
    for (int i = 0; i < count; i++) {
      call.accept(i);
      long after = time.now();
      times.recordValue(Math.max(0, after - before));
      before = after;
    }
    return before - begin;
  }
}
