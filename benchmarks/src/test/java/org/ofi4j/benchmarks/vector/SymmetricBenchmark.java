// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.concurrent.TimeUnit;
import org.ofi4j.AddressVector;
import org.ofi4j.Insertion;
import org.ofi4j.benchmarks.figure.Family;
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

/** insertsym into an empty vector: microseconds for the whole call, and opening the vector. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class SymmetricBenchmark {
  @Param({"16", "20000", "42949672"})
  private int nodes;

  private VectorFactory factory;

  @Setup(Level.Trial)
  public void open() {
    factory = new VectorFactory(Family.IPV4);
  }

  @TearDown(Level.Trial)
  public void close() {
    factory.close();
  }

  @Benchmark
  public Insertion openAndInsert() {
    try (AddressVector vector = factory.open(0)) {
      return vector.insertSymmetric("10.0.0.0", nodes, "5000", 50);
    }
  }
}
