// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Measures what messages cost besides the time that they take when all is warm: processor time, the
 * first seconds of a JVM, and memory.
 */
public final class CostsBenchmark {
  private static final int SIZE = 64;

  /** The bytes of a message to oneself. */
  private static final int SIZE_TO_ITSELF = 8;

  private static final int TO_ITSELF = 200_000;

  /** After this part of the time that it takes to be warm, round trips are measured first. */
  private static final int EARLY_PART = 15;

  private static final int FIRST_ROUND_TRIPS = 50_000;
  private static final int WARMING_ROUND_TRIPS = 500;
  private static final int WARM_ROUND_TRIPS = 2_000;

  /** Connections after which a server has loaded all classes. */
  private static final int FIRST_CONNECTIONS = 10;

  /** So many that a hundredth of a second is little. */
  private static final int REQUESTS_OF_A_CONNECTION = 50;

  private static final int WARM_UP_ROUNDS = 10;

  /** Messages of the first stream; each later stream takes about a second. */
  private static final int FIRST_STREAM = 10_000;

  private static final double STREAM_NANOS = 1e9;

  private final CostsOptions options;
  private final OpenProcesses processes;
  private final ScratchDirectory directory;
  private final Results results = new Results();
  private @Nullable String libfabric;

  private CostsBenchmark(
      CostsOptions options, OpenProcesses processes, ScratchDirectory directory) {
    this.options = options;
    this.processes = processes;
    this.directory = directory;
  }

  /**
   * Measures. The listener hears how far it is.
   *
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   */
  public static BenchmarkReport run(CostsOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ScratchDirectory directory = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      CostsBenchmark benchmark = new CostsBenchmark(options, processes, directory);
      benchmark.stages().run(listener);
      return BenchmarkReport.since(
          begin, benchmark.libfabric, Topic.COSTS, benchmark.results.rows(), List.of());
    }
  }

  private Stages stages() {
    Stages stages = new Stages();
    for (Cost cost : Cost.values()) {
      List<Contestant> contestants = options.contestants(cost);
      if (!contestants.isEmpty()) {
        add(stages, cost, contestants);
      }
    }
    return stages;
  }

  private void add(Stages stages, Cost cost, List<Contestant> contestants) {
    switch (cost) {
      case FIRST_MESSAGE -> stages.add("first messages", () -> firstMessages(contestants));
      case FIRST_MESSAGE_CACHED ->
          stages.add("first messages with a cache", () -> firstMessagesWithCache(contestants));
      case WARM_UP ->
          contestants.forEach(contestant ->
              stages.add("warming up " + contestant.side().title(), () -> warmUp(contestant)));
      case FIRST_ROUND_TRIPS -> stages.add("first round trips", () -> firstRoundTrips(contestants));
      case STREAM -> stages.add("streams", () -> streams(contestants));
      case CONNECTIONS -> stages.add("many connections", () -> crowds(contestants));
      case TO_ITSELF -> stages.add("messages to oneself", () -> toItself(contestants));
    }
  }

  private MessagingPair start(Contestant contestant) throws IOException, InterruptedException {
    MessagingPair pair =
        MessagingPair.start(contestant, SIZE, options.provider(), directory.path(), processes);
    if (contestant == Contestant.LIBFABRIC) {
      libfabric = pair.version();
    }
    return pair;
  }

  private void firstMessages(List<Contestant> contestants)
      throws IOException, InterruptedException {
    for (int round = 0; round < options.rounds(); round++) {
      for (Contestant contestant : contestants) {
        try (MessagingPair pair = start(contestant)) {
          firstMessage(pair, Quantity.FIRST_MESSAGE);
        }
      }
    }
  }

  private void firstMessagesWithCache(List<Contestant> contestants)
      throws IOException, InterruptedException {
    Path scratch = directory.path();
    for (Contestant contestant : contestants) {
      MessagingPair.makeCache(contestant, SIZE, cache(contestant), scratch, processes);
    }
    for (int round = 0; round < options.rounds(); round++) {
      for (Contestant contestant : contestants) {
        try (MessagingPair pair =
            MessagingPair.startWithCache(contestant, SIZE, cache(contestant), scratch, processes)) {
          firstMessage(pair, Quantity.FIRST_MESSAGE_CACHED);
        }
      }
    }
  }

  private Path cache(Contestant contestant) {
    return directory.path().resolve(contestant.side().id() + ".aot");
  }

  private void firstMessage(MessagingPair pair, Quantity quantity) throws IOException {
    pair.roundTrips(SIZE, 1);
    double millis = pair.processes().getFirst().processorTime().toNanos() / 1e6;
    add(quantity, 1, pair.contestant(), millis);
  }

  private void warmUp(Contestant contestant) throws IOException, InterruptedException {
    try (MessagingPair pair = start(contestant)) {
      long begin = System.nanoTime();
      double late = options.seconds();
      double earlyMicros = roundTrip(pair, begin, late / EARLY_PART);
      double lateMicros = roundTrip(pair, begin, late);
      add(Quantity.ROUND_TRIP_EARLY, 1, contestant, earlyMicros);
      add(Quantity.ROUND_TRIP_LATE, 1, contestant, lateMicros);
      add(Quantity.ROUND_TRIP_EARLY_TO_LATE, 1, contestant, earlyMicros / lateMicros);
    }
  }

  /**
   * Repeats round trips until so many seconds have gone; the median of the next in microseconds.
   */
  private static double roundTrip(MessagingPair pair, long begin, double seconds)
      throws IOException {
    while (System.nanoTime() - begin < seconds * 1e9) {
      pair.roundTrips(SIZE, WARMING_ROUND_TRIPS);
    }
    long[] nanos = pair.roundTrips(SIZE, WARM_ROUND_TRIPS);
    Arrays.sort(nanos);
    return nanos[nanos.length / 2] / 1e3;
  }

  private void firstRoundTrips(List<Contestant> contestants)
      throws IOException, InterruptedException {
    for (int round = 0; round < options.rounds(); round++) {
      for (Contestant contestant : contestants) {
        boolean isOfi4j = contestant.isOfi4j();
        FirstRoundTrips first =
            FirstRoundTrips.run(
                isOfi4j ? options.pingpong() : FirstRoundTrips.FI_PINGPONG,
                isOfi4j ? options.provider() : providerOfLibfabric(),
                FIRST_ROUND_TRIPS);
        add(Quantity.FIRST_ROUND_TRIPS, 1, contestant, first.meanMicros());
        if (isOfi4j) {
          add(Quantity.FIRST_ROUND_TRIPS_TAIL, 1, contestant, first.tailMicros());
        }
      }
    }
  }

  /** Returns what libfabric calls its provider of tcp, which depends on the version. */
  private String providerOfLibfabric() throws IOException, InterruptedException {
    if (libfabric == null) {
      start(Contestant.LIBFABRIC).close();
    }
    return Objects.requireNonNull(libfabric).replaceFirst(".* ", "");
  }

  private void streams(List<Contestant> contestants) throws IOException, InterruptedException {
    List<Stream> streams = new ArrayList<>();
    for (Contestant contestant : contestants) {
      Stream stream = new Stream(start(contestant));
      streams.add(stream);
      for (int i = 0; i < Math.min(WARM_UP_ROUNDS, options.rounds()); i++) {
        stream.run();
      }
    }
    for (int round = 0; round < options.rounds(); round++) {
      Collections.reverse(streams);
      for (Stream stream : streams) {
        add(Quantity.STREAMED, 1, stream.pair.contestant(), stream.run());
      }
    }
    streams.forEach(stream -> stream.pair.close());
  }

  /** Streams of two processes, each of as many messages as the last one sent in a second. */
  private static final class Stream {
    private final MessagingPair pair;
    private int count = FIRST_STREAM;

    Stream(MessagingPair pair) {
      this.pair = pair;
    }

    /** Sends one; returns the processor time of both processes for a message in microseconds. */
    double run() {
      Duration begin = pair.processorTime();
      double nanos = pair.stream(SIZE, count, false);
      double micros = pair.processorTime().minus(begin).toNanos() / 1e3 / count;
      count = (int) Math.max(FIRST_STREAM, count * STREAM_NANOS / nanos);
      return micros;
    }
  }

  private void crowds(List<Contestant> contestants) throws IOException, InterruptedException {
    int connections = options.connections();
    List<CrowdPair> crowds = new ArrayList<>();
    for (Contestant contestant : contestants) {
      CrowdPair crowd = new CrowdPair(contestant, processes);
      crowds.add(crowd);
      crowd.connect(FIRST_CONNECTIONS);
      long before = crowd.heap();
      crowd.connect(connections);
      double each = (double) (crowd.heap() - before) / connections;
      add(Quantity.IDLE_HEAP, connections, contestant, each);
    }
    int requests = REQUESTS_OF_A_CONNECTION * connections;
    for (CrowdPair crowd : crowds) {
      for (int i = 0; i < Math.min(WARM_UP_ROUNDS, options.rounds()); i++) {
        crowd.request(requests);
      }
    }
    for (int round = 0; round < options.rounds(); round++) {
      Collections.reverse(crowds);
      for (CrowdPair crowd : crowds) {
        double micros = crowd.request(requests).toNanos() / 1e3 / requests;
        add(Quantity.REQUEST, connections, crowd.contestant(), micros);
      }
    }
  }

  private void toItself(List<Contestant> contestants) throws IOException, InterruptedException {
    List<MessagingPair> pairs = new ArrayList<>();
    for (Contestant contestant : contestants) {
      MessagingPair pair = start(contestant);
      pairs.add(pair);
      pair.toItself();
      for (int i = 0; i < Math.min(WARM_UP_ROUNDS, options.rounds()); i++) {
        pair.toItself(SIZE_TO_ITSELF, TO_ITSELF);
      }
    }
    for (int round = 0; round < options.rounds(); round++) {
      Collections.reverse(pairs);
      for (MessagingPair pair : pairs) {
        double nanos = (double) pair.toItself(SIZE_TO_ITSELF, TO_ITSELF) / TO_ITSELF;
        add(Quantity.TO_ITSELF, 1, pair.contestant(), nanos);
      }
    }
  }

  private void add(Quantity quantity, int connections, Contestant contestant, double value) {
    results.add(new Figure(quantity, connections, contestant.side(), value));
  }
}
