// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Runs the benchmark of messages: round trips and streams over reliable endpoints between two
 * processes of this machine, by turns with libfabric's tcp provider.
 */
public final class MessagingBenchmark {
  /** How many messages of a stream are under way at a time. */
  static final int WINDOW = 64;

  /** What one measurement of the slower side takes. */
  private static final long MEASUREMENT_NANOS = 50_000_000;

  private static final int FEWEST = 10;
  private static final int MOST_ROUND_TRIPS = 100_000;
  private static final int MOST_IN_A_STREAM = 1_000_000;

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
    int longest = Collections.max(options.sizes());
    List<String> arguments =
        List.of(Integer.toString(WINDOW), Integer.toString(longest), options.provider());
    List<String> jvm = JvmCommand.of(MessagingJvm.class, options());
    pairs.add(start(Side.OFI4J, jvm, arguments));
    String libfabric = null;
    if (options.libfabric()) {
      LibfabricProgram program =
          LibfabricProgram.compile(directory.path(), LibfabricProgram.MESSAGES, System.getenv());
      MessagingPair other = start(Side.TCP, List.of(program.path().toString()), arguments);
      pairs.add(other);
      libfabric = other.version();
    }
    step("warming up");
    warmUp();
    measure();
    List<Row> rows = results.rows();
    return BenchmarkReport.since(
        begin, libfabric, Topic.MESSAGES, rows, MessagingBars.of(rows, isPureJava()));
  }

  private boolean isPureJava() {
    return options.provider().equals(MessagingOptions.TCP);
  }

  /** Options for the JVM: what is not pure Java calls C. */
  private List<String> options() {
    return isPureJava()
        ? List.of()
        : List.of(
            "--enable-native-access="
                + (MessagingJvm.class.getModule().isNamed()
                    ? "org.ofi4j.provider.libfabric"
                    : "ALL-UNNAMED"));
  }

  private MessagingPair start(Side side, List<String> command, List<String> arguments)
      throws IOException {
    List<String> whole = new ArrayList<>(command);
    whole.addAll(arguments);
    return new MessagingPair(side, whole, directory.path(), processes);
  }

  private void step(String title) {
    listener.at(title, done++, 2 + options.rounds());
  }

  /**
   * First with many short messages, as a compiler counts calls; then by turns with all sizes, so
   * that it knows all of them.
   */
  private void warmUp() throws IOException {
    int share = Math.min(options.rounds(), USUAL_ROUNDS);
    for (MessagingPair pair : pairs) {
      long all = pair.side() == Side.OFI4J ? WARM_UP_NANOS : LIBFABRIC_WARM_UP_NANOS;
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
        pair.stream(size, count(inStream(pair, size), part, MOST_IN_A_STREAM), true);
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
    return (double) pair.stream(size, WINDOW, false) / WINDOW;
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
    if (size <= MessagingBars.SHORT) {
      double each = (double) pair.stream(size, count, true) / count;
      add(pair, Quantity.ANNOUNCED, size, 1000 / each);
    }
  }

  private void add(MessagingPair pair, Quantity quantity, int size, double value) {
    results.add(new Figure(quantity, size, pair.side(), value));
  }
}
