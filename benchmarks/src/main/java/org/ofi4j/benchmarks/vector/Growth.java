// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Mixing;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;

/**
 * How long the longest single insert takes while a vector grows from nothing, one by one. A loop
 * that inserts nothing runs after it: what interrupts that one is the machine's doing.
 */
final class Growth implements Prepared {
  private static final int PART = 65_536;
  private static final int WARM_UP = 1_000_000;
  private static final int CONTROL_STORES = 8;

  /** The control loop runs for one part in so many of the time. */
  private static final int CONTROL_SHARE = 4;

  private static final long HIGHEST = 3_600_000_000_000L;

  private final FigureSink figures;
  private final TimeSource time;
  private final int peers;
  private final int rounds;
  private final Arena arena = Arena.ofShared();
  private final VectorFactory factory = new VectorFactory(Family.IPV4);
  private final Histogram insertions = new Histogram(HIGHEST, 3);
  private final Histogram gaps = new Histogram(HIGHEST, 3);
  private final AddressList part = AddressList.allocate(arena, Family.IPV4, PART);
  private final MemorySegment memory = arena.allocate(8L * PART * CONTROL_STORES, 64);

  /** Each address of the part by itself: what a timed call allocated would be collected in one. */
  private final MemorySegment[] each = new MemorySegment[PART];

  /** Warms up with few peers. */
  Growth(FigureSink figures, TimeSource time, int peers, int rounds) {
    this.figures = figures;
    this.time = time;
    this.peers = peers;
    this.rounds = rounds;
    Arrays.setAll(each, part::at);
    control(grow(Math.min(WARM_UP, peers)), memory, gaps);
  }

  @Override
  public void measure() {
    for (int round = 0; round < rounds; round++) {
      insertions.reset();
      gaps.reset();
      control(grow(peers), memory, gaps);
      figures.add(Quantity.GROWTH_WORST, peers, (double) insertions.getMaxValue());
      figures.add(Quantity.GROWTH_TAIL, peers, (double) insertions.getValueAtPercentile(99.99));
      figures.add(Quantity.GROWTH_CONTROL, peers, (double) gaps.getMaxValue());
    }
  }

  @Override
  public void close() {
    factory.close();
    arena.close();
  }

  /** Answers how long the timed calls took together. */
  private long grow(int size) {
    AddressList.Filler filler = AddressList.Filler.of(AddressPattern.SCATTERED, Family.IPV4);
    try (AddressVector vector = factory.open(0)) {
      long nanos = 0;
      for (int done = 0; done < size; done += PART) {
        part.fill(filler, done);
        nanos += insert(vector, memory, Math.min(PART, size - done), insertions);
      }
      Subject.check(vector.size(), size, "entries");
      return nanos;
    }
  }

  /** Times each call by itself: from the end of the one before to its own. */
  private long insert(AddressVector vector, MemorySegment handle, int count, Histogram times) {
    MemorySegment[] addresses = each;
    TimeSource clock = time;
    long begin = clock.now();
    long before = begin;
    for (int i = 0; i < count; i++) {
      vector.insert(addresses[i], 1, handle, null, 0, null);
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
  private void control(long nanos, MemorySegment stored, Histogram times) {
    TimeSource clock = time;
    long end = clock.now() + nanos / CONTROL_SHARE;
    long before = clock.now();
    for (int i = 0; before < end; i++) {
      for (int store = 0; store < CONTROL_STORES; store++) {
        stored.setAtIndex(
            ValueLayout.JAVA_LONG, (long) store * PART + (Mixing.mix(i) & PART - 1), i);
      }
      long after = clock.now();
      times.recordValue(Math.max(0, after - before));
      before = after;
    }
  }
}
