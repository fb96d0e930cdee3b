// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** Insertion into an empty vector: nanoseconds for each address. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(EmptyVector.PEERS)
public class InsertBenchmark {
  @Benchmark
  public int inOneCall(EmptyVector empty) {
    return empty.vector.insert(
        empty.addresses.packed(), EmptyVector.PEERS, empty.handles, null, 0, null);
  }

  @Benchmark
  public int oneByOne(EmptyVector empty) {
    return VectorWork.insertSingly(empty.vector, empty.addresses, empty.handles);
  }
}
