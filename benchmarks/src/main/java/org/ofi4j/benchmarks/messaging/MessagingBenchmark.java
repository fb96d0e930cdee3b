// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.HdrHistogram.Histogram;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Runs the benchmark of messages: round trips and streams between two processes of this machine,
 * over reliable endpoints and over what users would pick instead. All alternate in each round.
 */
public final class MessagingBenchmark {
  /** What one measurement of the slower side takes. */
  private static final long MEASUREMENT_NANOS = 50_000_000;

  private static final int FEWEST = 10;
  private static final int MOST_ROUND_TRIPS = 100_000;
  private static final int MOST_IN_A_STREAM = 1_000_000;

  /** So many that the calls of the command itself do not count. */
  private static final int COUNTED_ROUND_TRIPS = 1_000;

  /** With fewer rounds than this, which is for a quick look, everything warms up for less time. */
  private static final int USUAL_ROUNDS = 11;

  /**
   * The compiler of a JVM is nearly done by then. After 8 s it was not: then it took a processor
   * away from one round trip of a hundred of 256 KiB, for milliseconds.
   */
  private static final long WARM_UP_NANOS = 20_000_000_000L;

  private static final long LIBFABRIC_WARM_UP_NANOS = 500_000_000;
  private static final int WARM_UP_PARTS = 64;

  private final MessagingOptions options;
  private final BenchmarkListener listener;
  private final OpenProcesses processes;
  private final ScratchDirectory directory;
  private final Results results = new Results();
  private final List<MessagingPair> pairs = new ArrayList<>();
  private int done;

  private MessagingBenchmark(
      MessagingOptions options,
      BenchmarkListener listener,
      OpenProcesses processes,
      ScratchDirectory directory) {
    this.options = options;
    this.listener = listener;
    this.processes = processes;
    this.directory = directory;
  }

  /**
   * Measures. The listener hears how far it is.
   *
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   */
  public static BenchmarkReport run(MessagingOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    try (ScratchDirectory directory = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      return new MessagingBenchmark(options, listener, processes, directory).run();
    }
  }

  private BenchmarkReport run() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    step("starting processes");
    for (Contestant contestant : options.contestants()) {
      pairs.add(
          MessagingPair.start(
              contestant,
              Collections.max(options.sizes()),
              options.provider(),
              directory.path(),
              processes));
    }
    String libfabric =
        pairs.stream()
            .filter(pair -> pair.contestant() == Contestant.LIBFABRIC)
            .map(MessagingPair::version)
            .findFirst()
            .orElse(null);
    step("warming up");
    warmUp();
    measure();
    step("counting system calls");
    countSystemCalls();
    List<Row> rows = results.rows();
    return BenchmarkReport.since(
        begin, libfabric, Topic.MESSAGES, rows, MessagingBars.of(rows, isPureJava()));
  }

  private boolean isPureJava() {
    return options.provider().equals(MessagingOptions.TCP);
  }

  private void step(String title) {
    listener.at(title, done++, 3 + options.rounds());
  }

  /**
   * First with many short messages, as a compiler counts calls; then by turns with all sizes, so
   * that it knows all of them.
   */
  private void warmUp() throws IOException {
    int share = Math.min(options.rounds(), USUAL_ROUNDS);
    for (MessagingPair pair : pairs) {
      long all =
          pair.contestant() == Contestant.LIBFABRIC ? LIBFABRIC_WARM_UP_NANOS : WARM_UP_NANOS;
      long nanos = all * share / USUAL_ROUNDS / 2;
      warmUp(pair, List.of(Collections.min(options.sizes())), nanos);
      warmUp(pair, options.sizes(), nanos);
    }
  }

  private static void warmUp(MessagingPair pair, List<Integer> sizes, long nanos)
      throws IOException {
    long part = nanos / WARM_UP_PARTS;
    long begin = System.nanoTime();
    do {
      for (int size : sizes) {
        pair.roundTrips(size, count(roundTrip(pair, size), part, MOST_ROUND_TRIPS));
        pair.stream(size, count(inStream(pair, size), part, MOST_IN_A_STREAM), false);
        pair.stream(
            size,
            count(inStream(pair, size), part, MOST_IN_A_STREAM),
            pair.contestant().canAnnounce());
      }
    } while (System.nanoTime() - begin < nanos);
  }

  /** Nanoseconds of a round trip, roughly. */
  private static double roundTrip(MessagingPair pair, int size) throws IOException {
    long sum = 0;
    for (long nanos : pair.roundTrips(size, FEWEST)) {
      sum += nanos;
    }
    return (double) sum / FEWEST;
  }

  /** Nanoseconds for a message of a stream, roughly. */
  private static double inStream(MessagingPair pair, int size) {
    return (double) pair.stream(size, Peer.WINDOW, false) / Peer.WINDOW;
  }

  private static int count(double nanosForOne, long nanos, int most) {
    return (int) Math.clamp(nanos / Math.max(nanosForOne, 1), FEWEST, most);
  }

  /**
   * All sizes in each round: the machine is slower at one time than at another, for seconds, and
   * that is to be a part of the rounds of each size, and not all rounds of one.
   */
  private void measure() throws IOException {
    List<Portion> portions = new ArrayList<>();
    for (int size : options.sizes()) {
      portions.add(portion(size));
    }
    for (int round = 1; round <= options.rounds(); round++) {
      step("round " + round + " of " + options.rounds());
      // Who comes second finds the machine as the first has left it.
      Collections.reverse(pairs);
      for (Portion portion : portions) {
        measure(portion);
      }
    }
  }

  /** How much is done of a size in one measurement, by all sides. */
  private record Portion(int size, int roundTrips, int messages) {}

  private Portion portion(int size) throws IOException {
    double roundTrip = 1;
    double inStream = 1;
    for (MessagingPair pair : pairs) {
      roundTrip = Math.max(roundTrip, roundTrip(pair, size));
      inStream = Math.max(inStream, inStream(pair, size));
    }
    return new Portion(
        size,
        count(roundTrip, MEASUREMENT_NANOS, MOST_ROUND_TRIPS),
        count(inStream, MEASUREMENT_NANOS, MOST_IN_A_STREAM));
  }

  private void measure(Portion portion) throws IOException {
    for (MessagingPair pair : pairs) {
      roundTrips(pair, portion.size, portion.roundTrips);
    }
    for (MessagingPair pair : pairs) {
      stream(pair, portion.size, portion.messages);
    }
    for (MessagingPair pair : pairs) {
      announced(pair, portion.size, portion.messages);
    }
  }

  private void roundTrips(MessagingPair pair, int size, int count) throws IOException {
    Histogram histogram = new Histogram(3);
    for (long nanos : pair.roundTrips(size, count)) {
      histogram.recordValue(nanos);
    }
    Quantity.roundTrips()
        .forEach((quantity, percentile) ->
            add(pair, quantity, size, histogram.getValueAtPercentile(percentile) / 1000.0));
  }

  private void stream(MessagingPair pair, int size, int count) {
    double each = (double) pair.stream(size, count, false) / count;
    add(pair, Quantity.MESSAGES, size, 1000 / each);
    add(pair, Quantity.BANDWIDTH, size, 1000 * size / each);
  }

  /** Of longer messages each is written by itself anyway. */
  private void announced(MessagingPair pair, int size, int count) {
    if (size <= Peer.SHORT && pair.contestant().canAnnounce()) {
      double each = (double) pair.stream(size, count, true) / count;
      add(pair, Quantity.ANNOUNCED, size, 1000 / each);
    }
  }

  /** Of those that sleep; the calls of those that poll say nothing. */
  private void countSystemCalls() throws IOException, InterruptedException {
    SystemCalls calls = new SystemCalls(directory.path().resolve("calls"));
    for (MessagingPair pair : pairs) {
      for (int size : pair.contestant().sleeps() ? options.sizes() : List.<Integer>of()) {
        OptionalLong counted =
            calls.during(pair.processes(), () -> pair.roundTrips(size, COUNTED_ROUND_TRIPS));
        counted.ifPresent(
            all -> add(pair, Quantity.SYSTEM_CALLS, size, (double) all / COUNTED_ROUND_TRIPS));
      }
    }
  }

  private void add(MessagingPair pair, Quantity quantity, int size, double value) {
    results.add(new Figure(quantity, size, pair.contestant().side(), value));
  }
}
