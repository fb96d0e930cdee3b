// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A vector grows from nothing, one by one: the longest single insertion, in nanoseconds. The
 * longest gap of a loop that inserts nothing stands beside it: that one is the machine's doing.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 3)
@Measurement(iterations = 10)
@State(Scope.Thread)
public class GrowthBenchmark {
  private static final long HIGHEST = TimeUnit.HOURS.toNanos(1);

  @Param({"1000000"})
  private int peers;

  private Arena arena;
  private VectorFactory factory;
  private AddressList addresses;
  private MemorySegment handle;

  /** The longest of an iteration. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Longest {
    public long insertNanos;
    public long insertNanosOf9999;
    public long gapNanos;
  }

  @Setup(Level.Trial)
  public void prepare() {
    arena = Arena.ofShared();
    factory = new VectorFactory(Family.IPV4);
    addresses = AddressList.of(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
    handle = arena.allocate(8, 8);
  }

  @TearDown(Level.Trial)
  public void close() {
    factory.close();
    arena.close();
  }

  @Benchmark
  public void grow(Longest longest) {
    Histogram insertions = new Histogram(HIGHEST, 3);
    Histogram gaps = new Histogram(HIGHEST, 3);
    long begin = System.nanoTime();
    try (AddressVector vector = factory.open(0)) {
      for (int i = 0; i < peers; i++) {
        MemorySegment address = addresses.at(i);
        long before = System.nanoTime();
        vector.insert(address, 1, handle, null, 0, null);
        insertions.recordValue(System.nanoTime() - before);
      }
    }
    long now = System.nanoTime();
    long end = now + (now - begin);
    while (now < end) {
      long after = System.nanoTime();
      gaps.recordValue(after - now);
      now = after;
    }
    longest.insertNanos = insertions.getMaxValue();
    longest.insertNanosOf9999 = insertions.getValueAtPercentile(99.99);
    longest.gapNanos = gaps.getMaxValue();
  }
}
