// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.MemoryUse;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;
import org.ofi4j.benchmarks.schedule.Recorder;

/**
 * insertsym of a range of numeric addresses into an empty vector, without an array of the caller's:
 * what it costs in all, whatever its size.
 */
final class SymmetricRange implements Prepared {
  private static final int MOST_SERVICES = 60_000;
  private static final int REPETITIONS = 10;
  private static final int USUAL_ROUNDS = 11;
  private static final long WARM_UP_NANOS = 400_000_000;

  private final FigureSink figures;
  private final TimeSource time;
  private final int size;
  private final int services;
  private final int rounds;
  private final VectorFactory factory = new VectorFactory(Family.IPV4);

  /** Warms up with ranges of that size. */
  SymmetricRange(FigureSink figures, TimeSource time, int size, int rounds) {
    this.figures = figures;
    this.time = time;
    this.size = size;
    this.rounds = rounds;
    services = services(size);
    long warmUp = WARM_UP_NANOS * Math.min(rounds, USUAL_ROUNDS) / USUAL_ROUNDS;
    long begin = System.nanoTime();
    do {
      once(null);
    } while (System.nanoTime() - begin < warmUp);
  }

  @Override
  public void measure() {
    for (int round = 0; round < rounds; round++) {
      Recorder recorder = new Recorder(figures, Side.OFI4J, size, round);
      for (int i = 0; i < REPETITIONS; i++) {
        once(recorder);
      }
      recorder.flush();
    }
  }

  @Override
  public void close() {
    factory.close();
  }

  /** The most services that leave a whole number of nodes. */
  private static int services(int size) {
    int services = Math.min(size, MOST_SERVICES);
    while (size % services != 0) {
      services--;
    }
    return services;
  }

  private void once(@Nullable Recorder recorder) {
    int nodes = size / services;
    try (AddressVector vector = factory.open(0)) {
      MemoryUse before = vector.statistics().memory();
      long begin = time.now();
      Insertion insertion = vector.insertSymmetric("10.0.0.0", nodes, "1", services);
      long nanos = time.now() - begin;
      MemoryUse after = vector.statistics().memory();
      long last = insertion.handle(size - 1);
      if (insertion.inserted() != size || last == Handles.NOT_AVAILABLE || vector.size() != size) {
        throw new IllegalStateException(
            insertion.inserted() + " of " + size + " addresses inserted by insertsym");
      }
      if (!vector.lookup(last).equals(lastAddress(nodes, services))) {
        throw new IllegalStateException("the last address is " + vector.lookup(last));
      }
      if (recorder != null) {
        recorder.nanos(Quantity.SYMMETRIC, nanos, 1);
        // What is in use may have been reserved before, and what is reserved not be in use.
        long taken = Math.max(after.live() - before.live(), after.held() - before.held());
        recorder.figure(Quantity.SYMMETRIC_MEMORY, (double) taken);
      }
    }
  }

  private static FabricAddress lastAddress(int nodes, int services) {
    return new FabricAddress.SocketAddress4((10 << 24) + nodes - 1, services);
  }
}
