// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Removal of a random entry and insertion of the same address again: nanoseconds for both, also in
 * a vector that has had very many exchanges.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class RemoveBenchmark {
  @Param({"0", "20000000"})
  private int earlier;

  private int next;

  @Setup(Level.Trial)
  public void exchange(FilledVector filled) {
    for (int i = 0; i < earlier; i++) {
      removeAndInsert(filled);
    }
  }

  @Benchmark
  public int removeAndInsert(FilledVector filled) {
    int position = filled.order[next];
    next = next + 1 == filled.peers ? 0 : next + 1;
    var handle = filled.handles.asSlice(8L * position, 8);
    filled.vector.remove(handle, 1, 0);
    return filled.vector.insert(filled.addresses.at(position), 1, handle, null, 0, null);
  }
}
