package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What is not done at each size, or not by all sides. */
final class SpecialStages {
  /** Growth and memory are looked at up to here. */
  private static final int MOST = 16_000_000;

  /** With fewer, what a process takes for itself counts more than the vector. */
  private static final int LEAST_RESIDENT = 500_000;

  private static final int AT_ONCE = 2;
  private static final int LEAST_SWEPT = 64_000;
  private static final int LONG = 2_000_000;
  private static final int LONG_ROUNDS = 3;

  private final Results results;
  private final BenchmarkOptions options;
  private final FreshProcesses fresh;
  private final boolean libfabric;

  SpecialStages(Results results, BenchmarkOptions options, @Nullable LibfabricProgram program) {
    this.results = results;
    this.options = options;
    this.fresh = new FreshProcesses(results, options, program);
    this.libfabric = program != null;
  }

  List<Stage> stages() {
    List<Stage> stages = new ArrayList<>();
    int largest = 1;
    int compared = 1;
    for (long size : options.sizes()) {
      int peers = (int) size;
      largest = Math.max(largest, Math.min(peers, MOST));
      if (size <= BenchmarkOptions.MOST_COMPARED) {
        compared = Math.max(compared, peers);
        add(stages, peers, "first call in a fresh JVM", () -> fresh.firstCalls(peers));
      }
      if (size >= LEAST_RESIDENT) {
        resident(stages, peers);
      }
    }
    int range = options.range();
    add(stages, range, "insertsym", () -> new SymmetricRange(results, options).run(range));
    int shared = compared;
    add(
        stages,
        shared,
        "reader beside a writer",
        () -> new ReaderBesideWriter(results, options).run(shared));
    int grown = largest;
    int rounds = grown > LONG ? Math.min(LONG_ROUNDS, options.rounds()) : options.rounds();
    add(stages, grown, "growth", () -> new Growth(results, options.time()).run(grown, rounds));
    if (grown >= LEAST_SWEPT) {
      add(stages, grown, "memory at each size", () -> new MemorySweep(results).run(grown));
    }
    return stages;
  }

  /** No clock runs here, so the processes may run beside each other. */
  private void resident(List<Stage> stages, int peers) {
    AddressPattern scattered = AddressPattern.SCATTERED;
    List<Stage.Work> works = new ArrayList<>();
    works.add(() -> fresh.resident(peers, scattered, Family.IPV4));
    works.add(() -> fresh.resident(peers, AddressPattern.CONSECUTIVE, Family.IPV4));
    works.add(() -> fresh.resident(peers, scattered, Family.IPV6));
    if (libfabric && peers <= BenchmarkOptions.MOST_COMPARED) {
      works.add(() -> fresh.residentOfLibfabric(peers, Side.UDP));
      works.add(() -> fresh.residentOfLibfabric(peers, Side.TCP));
    }
    add(stages, peers, "resident memory", () -> beside(works));
  }

  private static void beside(List<Stage.Work> works) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      List<Future<?>> pending = new ArrayList<>();
      for (Stage.Work work : works.reversed()) {
        pending.add(
            threads.submit(() -> {
              work.run();
              return null;
            }));
      }
      for (Future<?> one : pending) {
        one.get();
      }
    }
  }

  private static void add(List<Stage> stages, int peers, String what, Stage.Work work) {
    stages.add(new Stage(String.format(Locale.ROOT, "%,d peers: %s", peers, what), work));
  }
}
