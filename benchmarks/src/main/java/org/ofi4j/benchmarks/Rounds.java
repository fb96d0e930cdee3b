package org.ofi4j.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs work in rounds: in each round every side does it once, one after the other, so that all see
 * the same machine.
 */
final class Rounds {
  /** With less work a round would time the clock. */
  private static final long LEAST_WORK = 65_536;

  /** How long ofi4j warms up at least: by then the compiler has seen everything. */
  private static final long WARM_UP_NANOS = 500_000_000;

  /** The same for work that mostly is compiled already. */
  private static final long SHORT_WARM_UP_NANOS = 100_000_000;

  /** What one side does in one round. */
  @FunctionalInterface
  interface Work {
    void on(Subject subject, Recorder recorder);
  }

  private final Results results;
  private final List<Subject> subjects;

  Rounds(Results results, List<Subject> subjects) {
    this.results = results;
    this.subjects = subjects;
  }

  /**
   * Runs work that opens a vector for itself; small work several times in each round.
   *
   * @param workload what it works on
   * @param effort how many rounds
   * @param work the work
   */
  void run(Workload workload, Effort effort, Work work) {
    long repetitions = Math.max(1, LEAST_WORK / workload.count());
    runInOneVector(
        workload,
        effort,
        (subject, recorder) -> {
          for (long i = 0; i < repetitions; i++) {
            work.on(subject, recorder);
          }
          subject.closeVector();
        });
  }

  /** Runs work whose vector stays open from round to round. */
  void runInOneVector(Workload workload, Effort effort, Work work) {
    long begin = System.nanoTime();
    int most = 0;
    for (Subject subject : subjects) {
      int wanted = effort.of(subject.side());
      if (wanted > 0) {
        subject.load(workload);
        if (subject.side() == Side.OFI4J) {
          warmUp(subject, workload, effort, work);
        }
      }
      most = Math.max(most, wanted);
    }
    for (int round = 0; round < most; round++) {
      if (round > 0 && System.nanoTime() - begin >= effort.nanos()) {
        break;
      }
      for (Subject subject : subjects) {
        if (round < effort.of(subject.side())) {
          once(subject, workload, work, results);
        }
      }
    }
    for (Subject subject : subjects) {
      subject.closeVector();
    }
  }

  /** libfabric's side is compiled already, and warm from its beginning. */
  private static void warmUp(Subject subject, Workload workload, Effort effort, Work work) {
    long nanos = effort.isRequired() ? WARM_UP_NANOS : SHORT_WARM_UP_NANOS;
    long begin = System.nanoTime();
    do {
      once(subject, workload, work, null);
    } while (System.nanoTime() - begin < nanos);
  }

  private static void once(
      Subject subject, Workload workload, Work work, @Nullable Results results) {
    Recorder recorder = new Recorder(results, subject.side(), workload.count());
    work.on(subject, recorder);
    recorder.flush();
  }
}
