// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** From handle to address and back, in random order. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LookupBenchmark {
  /** Where in the order a thread is. */
  @State(Scope.Thread)
  public static class Place {
    private int next;
    private final MemorySegment buffer = Arena.ofAuto().allocate(64, 64);

    int next(FilledVector filled) {
      int place = next;
      next = place + 1 == filled.peers ? 0 : place + 1;
      return place;
    }
  }

  @Benchmark
  public long lookup(FilledVector filled, Place place) {
    MemorySegment buffer = place.buffer;
    filled.vector.lookup(filled.ordered[place.next(filled)], buffer);
    return buffer.get(ValueLayout.JAVA_LONG, 0) + buffer.get(ValueLayout.JAVA_LONG, 8);
  }

  @Benchmark
  public long find(FilledVector filled, Place place) {
    return filled.vector.find(filled.sources.at(place.next(filled)));
  }
}
