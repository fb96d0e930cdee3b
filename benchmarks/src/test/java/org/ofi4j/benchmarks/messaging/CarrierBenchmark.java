// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The tcp endpoint beside its yardsticks: microseconds for each message or round trip. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 2, jvmArgsAppend = AeronCarrier.OPTION)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Thread)
public class CarrierBenchmark {
  private static final int MESSAGES = 4096;
  private static final int ROUND_TRIPS = 256;

  @Param({"OFI4J", "CHANNEL", "NETTY", "AERON"})
  private String kind;

  @Param({"1", "64", "1024", "4096", "16384", "65536", "262144", "1048576"})
  private int bytes;

  private Carrier carrier;

  @Setup(Level.Trial)
  public void open() throws IOException, InterruptedException {
    carrier = Carrier.Kind.valueOf(kind).open(bytes);
  }

  @TearDown(Level.Trial)
  public void close() throws IOException {
    carrier.close();
  }

  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public void stream() throws IOException, InterruptedException {
    carrier.stream(MESSAGES);
  }

  @Benchmark
  @OperationsPerInvocation(ROUND_TRIPS)
  public void roundTrip() throws IOException, InterruptedException {
    carrier.roundTrips(ROUND_TRIPS);
  }
}
