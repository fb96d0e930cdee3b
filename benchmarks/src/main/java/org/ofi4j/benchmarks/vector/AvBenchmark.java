// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;
import org.ofi4j.benchmarks.schedule.Schedule;
import org.ofi4j.benchmarks.schedule.Stage;

/** Runs the benchmark of address vectors. */
public final class AvBenchmark {
  /** Growth and memory are looked at up to here. */
  private static final int MOST_GROWN = 16_000_000;

  /** Of the worst insert each round has a worst of a million: a few are enough in a short run. */
  private static final int GROWTHS = 3;

  private static final int LEAST_SWEPT = 64_000;

  /** More addresses of IPv6 would take gigabytes. */
  private static final int MOST_LONG = 20_000_000;

  private final BenchmarkOptions options;
  private final BenchmarkListener listener;
  private final OpenProcesses processes;
  private final JvmSource jvms;
  private final ScratchDirectory directory;
  private final Results results = new Results();
  private final @Nullable Libfabric libfabric;

  private AvBenchmark(
      BenchmarkOptions options,
      BenchmarkListener listener,
      OpenProcesses processes,
      ScratchDirectory directory) {
    this.options = options;
    this.listener = listener;
    this.processes = processes;
    this.jvms = new JvmSource(options, processes);
    this.directory = directory;
    this.libfabric = options.libfabric() ? new Libfabric(options, processes) : null;
  }

  /**
   * Measures. The listener hears how far it is, from several threads but never from two at once.
   *
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   */
  public static BenchmarkReport run(BenchmarkOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    try (ScratchDirectory directory = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      return new AvBenchmark(options, listener, processes, directory).run();
    }
  }

  private BenchmarkReport run() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<List<Stage>> sizes = stages();
    Schedule schedule =
        new Schedule(results, listener, processes, sizes.stream().mapToInt(List::size).sum());
    for (List<Stage> stages : sizes) {
      schedule.run(stages);
    }
    List<Row> rows = results.rows();
    String other = libfabric == null ? null : libfabric.describe();
    return BenchmarkReport.since(begin, other, Topic.VECTORS, rows, new Bars(rows).all());
  }

  /** For each size those that run together. */
  private List<List<Stage>> stages() {
    List<List<Stage>> all = new ArrayList<>();
    Set<Long> shown = new HashSet<>();
    long most = options.sizes().stream().max(Long::compare).orElse(1L);
    long compared =
        options.sizes().stream()
            .filter(size -> size <= BenchmarkOptions.MOST_COMPARED)
            .max(Long::compare)
            .orElse(0L);
    for (long size : options.sizes()) {
      List<Stage> stages = new ArrayList<>();
      if (all.isEmpty() && libfabric != null) {
        Libfabric other = libfabric;
        stages.add(
            new Stage(
                "compiling for libfabric",
                Stage.Place.EARLY_WITH_LIBFABRIC,
                figures -> other.compile(directory.path())));
      }
      int peers = (int) size;
      List<String> prepared = new ArrayList<>();
      if (size == compared) {
        prepared.add("reader " + compared + " " + options.rounds());
      }
      if (size == most) {
        prepared.addAll(whole(Math.min(MOST_GROWN, most)));
      }
      stages.addAll(
          size > BenchmarkOptions.MOST_COMPARED
              ? of(peers).alone(prepared)
              : of(peers)
                  .compared(
                      prepared, size == compared, shown.add(Math.min(size, options.shown()))));
      List<String> memory = new ArrayList<>();
      if (size >= Libfabric.LEAST_RESIDENT) {
        memory.add("resident " + peers + " " + longPeers(size));
      }
      int swept = (int) Math.min(MOST_GROWN, most);
      if (size == most && swept >= LEAST_SWEPT) {
        memory.add("sweep " + swept);
      }
      if (!memory.isEmpty()) {
        stages.addAll(of(peers).memory(memory));
      }
      all.add(stages);
    }
    return all;
  }

  /** With how many addresses of IPv6 memory is looked at. */
  private long longPeers(long size) {
    return size > MOST_LONG
        ? 0
        : size > BenchmarkOptions.MOST_COMPARED ? size : Math.min(size, options.shown());
  }

  /** What single calls are measured at once in a run. */
  private List<String> whole(long grown) {
    int rounds = options.rounds();
    int growths = options.otherRounds() == 1 ? Math.min(GROWTHS, rounds) : rounds;
    return List.of(
        "growth " + grown + " " + growths,
        "range " + options.range() + " " + rounds,
        "exchanges " + options.exchanges() + " " + rounds);
  }

  private SizeStages of(int peers) {
    return new SizeStages(jvms, options, libfabric, peers);
  }
}
