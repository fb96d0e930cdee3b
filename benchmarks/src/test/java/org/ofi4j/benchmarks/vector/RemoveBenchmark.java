// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

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

/** Removal of a random entry and insertion of the same address again: nanoseconds for both. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class RemoveBenchmark {
  private int next;

  @Benchmark
  public int removeAndInsert(FilledVector filled) {
    int position = filled.order[next];
    next = next + 1 == filled.peers ? 0 : next + 1;
    var handle = filled.handles.asSlice(8L * position, 8);
    filled.vector.remove(handle, 1, 0);
    return filled.vector.insert(filled.addresses.at(position), 1, handle, null, 0, null);
  }
}
