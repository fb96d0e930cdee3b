package org.ofi4j.benchmarks;

import java.lang.foreign.MemorySegment;
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
    private final long[] words = new long[4];
    private final MemorySegment buffer = MemorySegment.ofArray(words);

    int next(FilledVector filled) {
      int place = next;
      next = place + 1 == filled.peers ? 0 : place + 1;
      return place;
    }
  }

  @Benchmark
  public long lookup(FilledVector filled, Place place) {
    filled.vector.lookup(filled.ordered[place.next(filled)], place.buffer);
    return place.words[0] + place.words[1];
  }

  @Benchmark
  public long find(FilledVector filled, Place place) {
    return filled.vector.find(filled.sources.at(place.next(filled)));
  }
}
