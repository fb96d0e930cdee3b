package org.ofi4j.benchmarks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the benchmark of address vectors. */
public final class AvBenchmark implements AutoCloseable {
  /** With fewer peers the longest work would be done for the size's sake alone. */
  private static final long LEAST_LONG = 500_000;

  private static final int WARM_UP_PEERS = 20_000;
  private static final int WARM_UP_ROUNDS = 5;

  private final BenchmarkOptions options;
  private final BenchmarkListener listener;
  private final Results results = new Results();
  private final List<Subject> subjects = new ArrayList<>();
  private final ScratchDirectory directory;
  private @Nullable LibfabricProgram program;

  private AvBenchmark(BenchmarkOptions options, BenchmarkListener listener) throws IOException {
    this.options = options;
    this.listener = listener;
    directory = new ScratchDirectory();
  }

  /**
   * Measures.
   *
   * @param options what
   * @param listener hears how far it is
   * @return the figures
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   * @throws IOException if files or processes fail
   * @throws InterruptedException if this thread was interrupted
   */
  public static BenchmarkReport run(BenchmarkOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    try (AvBenchmark benchmark = new AvBenchmark(options, listener)) {
      return benchmark.run();
    }
  }

  private BenchmarkReport run() throws IOException, InterruptedException {
    long begin = System.nanoTime();
    if (options.libfabric()) {
      listener.at("compiling for libfabric", 0, 1);
      program = LibfabricProgram.compile(directory.path(), System.getenv());
    }
    subjects.add(new Ofi4jSubject(options.time()));
    if (program != null) {
      for (Side side : List.of(Side.UDP, Side.TCP)) {
        LibfabricSubject subject = program.start(side, options.time());
        subjects.add(subject);
        warmUp(subject);
      }
    }
    List<Stage> stages = stages();
    for (int i = 0; i < stages.size(); i++) {
      Stage stage = stages.get(i);
      listener.at(stage.title(), i, stages.size());
      perform(stage);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    List<Row> rows = results.rows();
    return new BenchmarkReport(
        Machine.describe(), Machine.java(), libfabric(), rows, new Bars(rows).all(), seconds);
  }

  /** Loads what its provider loads late, and lets the process have memory once. */
  private static void warmUp(LibfabricSubject subject) {
    try (Arena arena = Arena.ofShared()) {
      subject.load(Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, WARM_UP_PEERS));
      for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        subject.insert(true);
        subject.lookup();
        subject.removeInOrder();
      }
      subject.closeVector();
    }
  }

  private static void perform(Stage stage) throws IOException, InterruptedException {
    try {
      stage.work().run();
    } catch (RuntimeException | IOException | InterruptedException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(stage.title() + ": " + e.getMessage(), e);
    }
  }

  private List<Stage> stages() {
    List<Stage> stages = new ArrayList<>();
    Rounds rounds = new Rounds(results, subjects);
    long largest =
        options.sizes().stream()
            .filter(size -> size <= BenchmarkOptions.MOST_COMPARED)
            .max(Long::compare)
            .orElse(0L);
    for (long size : options.sizes()) {
      if (size <= BenchmarkOptions.MOST_COMPARED) {
        stages.addAll(
            new ComparedSize(rounds, options, (int) size, size == largest && size >= LEAST_LONG)
                .stages());
      } else {
        stages.addAll(new LargeSize(results, options, (int) size).stages());
      }
    }
    stages.addAll(new SpecialStages(results, options, program).stages());
    return stages;
  }

  private @Nullable String libfabric() {
    List<String> providers = new ArrayList<>();
    String version = null;
    for (Subject subject : subjects) {
      if (subject instanceof LibfabricSubject libfabric) {
        version = libfabric.version();
        providers.add(libfabric.provider());
      }
    }
    return version == null ? null : version + " (" + String.join(", ", providers) + ")";
  }

  @Override
  public void close() {
    subjects.forEach(Subject::close);
    directory.close();
  }
}
