// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.ScratchDirectory;

/**
 * Runs the benchmark of address vectors. This library works in JVMs of its own, one for each kind
 * of work, as an application that does this kind of work is compiled.
 */
public final class AvBenchmark {
  /** More peers take so long that fewer rounds have to do. */
  private static final int ROUNDS_ALONE = 3;

  /** More addresses of IPv6 would take gigabytes. */
  private static final int MOST_LONG = 20_000_000;

  /** For work on which no bar rests: with few peers that is time enough for all rounds. */
  private static final long SHOWN_NANOS = 100_000_000;

  private final BenchmarkOptions options;
  private final OpenProcesses processes;
  private final Results results = new Results();
  private final Stages stages = new Stages();
  private final @Nullable Libfabric libfabric;

  private AvBenchmark(BenchmarkOptions options, OpenProcesses processes) {
    this.options = options;
    this.processes = processes;
    this.libfabric = options.libfabric() ? new Libfabric(options, processes) : null;
  }

  /**
   * Measures. The listener hears how far it is.
   *
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   */
  public static BenchmarkReport run(BenchmarkOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ScratchDirectory directory = new ScratchDirectory();
        OpenProcesses processes = new OpenProcesses()) {
      AvBenchmark benchmark = new AvBenchmark(options, processes);
      Libfabric libfabric = benchmark.libfabric;
      if (libfabric != null) {
        benchmark.stages.add("compiling for libfabric", () -> libfabric.compile(directory.path()));
      }
      Set<Integer> shown = new HashSet<>();
      for (long size : options.sizes()) {
        int peers = (int) size;
        boolean compared = size <= BenchmarkOptions.MOST_COMPARED;
        benchmark.size(peers, compared, compared && shown.add(benchmark.shown(peers)));
      }
      benchmark.stages.run(listener);
      List<Row> rows = benchmark.results.rows();
      return BenchmarkReport.since(
          begin,
          libfabric == null ? null : libfabric.describe(),
          Topic.VECTORS,
          rows,
          new Bars(rows).all());
    }
  }

  private int shown(int peers) {
    return Math.min(peers, options.shown());
  }

  private void add(int peers, String title, Stages.Work work) {
    stages.add(String.format(Locale.ROOT, "%,d peers: %s", peers, title), work);
  }

  private void size(int peers, boolean compared, boolean shows) {
    if (peers >= Libfabric.LEAST_RESIDENT) {
      int longPeers = peers > MOST_LONG ? 0 : compared ? shown(peers) : peers;
      add(
          peers,
          "memory",
          () -> {
            try (LineProcess jvm = start(JvmCommand.forMemory(peers))) {
              jvm.tell("resident " + peers + " " + longPeers, results);
            }
          });
    }
    Libfabric other = compared ? libfabric : null;
    if (other != null) {
      add(peers, "libfabric udp, starting", () -> other.startUdp(peers, results));
    }
    List<RoundWork> singly = new ArrayList<>();
    if (shows) {
      singly.add(RoundWork.SINGLY);
      if (shown(peers) > RoundWork.MOST_RANDOM_REMOVALS) {
        singly.add(RoundWork.REMOVAL);
      }
    }
    add(peers, "scattered", () -> work(other, peers, List.of(RoundWork.SCATTERED), singly));
    add(peers, "consecutive", () -> work(other, peers, List.of(RoundWork.CONSECUTIVE), List.of()));
    if (shows) {
      List<RoundWork> ipv6 = List.of(RoundWork.SCATTERED_IPV6, RoundWork.CONSECUTIVE_IPV6);
      add(peers, "IPv6", () -> work(other, peers, List.of(), ipv6));
      if (other != null) {
        add(peers, "libfabric tcp", () -> other.tcp(peers, results));
      }
    }
  }

  private LineProcess start(List<String> jvmOptions) throws IOException {
    List<String> command = JvmCommand.of(VectorJvm.class, jvmOptions);
    command.add(options.time().name());
    return processes.start(command);
  }

  /** Measures the work with bars in all rounds, then other work as often as time permits. */
  private void work(
      @Nullable Libfabric other, int peers, List<RoundWork> compared, List<RoundWork> shown)
      throws IOException {
    Contender jvm = new JvmContender(start(List.of()), options.rounds());
    List<Contender> both = other == null ? List.of(jvm) : List.of(jvm, other.udp());
    List<Contender> all = new ArrayList<>(both);
    if (other != null && !compared.isEmpty()) {
      all.add(other.start(Side.MEMORY));
    }
    int rounds =
        peers > BenchmarkOptions.MOST_COMPARED
            ? Math.min(ROUNDS_ALONE, options.rounds())
            : options.rounds();
    for (RoundWork work : compared) {
      new Rounds(all, results).run(work, peers, rounds, Long.MAX_VALUE);
    }
    for (RoundWork work : shown) {
      new Rounds(both, results).run(work, shown(peers), rounds, SHOWN_NANOS);
    }
    all.stream().filter(each -> each.side() != Side.UDP).forEach(Contender::close);
  }
}
