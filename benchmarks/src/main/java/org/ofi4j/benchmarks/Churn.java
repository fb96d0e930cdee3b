package org.ofi4j.benchmarks;

import java.util.HashSet;
import java.util.Set;

/**
 * Addresses that come and go in a vector that keeps its size. All rounds of ofi4j happen in one
 * vector, and what it holds is noted after each. In the long form they are ten million exchanges
 * and more.
 */
final class Churn {
  private static final long ALL_CYCLES = 10_000_000;
  private static final long SHORT_CYCLES = 1_000_000;
  private static final int LIBFABRIC_CYCLES = 200_000;

  private final Rounds rounds;
  private final BenchmarkOptions options;
  private final boolean isLong;

  Churn(Rounds rounds, BenchmarkOptions options, boolean isLong) {
    this.rounds = rounds;
    this.options = options;
    this.isLong = isLong;
  }

  void run(Workload workload, Effort effort) {
    Set<Subject> filled = new HashSet<>();
    int peers = workload.count();
    long repetitions =
        Math.max(1, (isLong ? ALL_CYCLES : SHORT_CYCLES) / ((long) peers * options.rounds()));
    rounds.runInOneVector(
        workload,
        effort,
        (subject, recorder) -> {
          if (filled.add(subject)) {
            subject.insert(false);
          }
          if (subject instanceof Ofi4jSubject ofi4j) {
            for (long i = 0; i < repetitions; i++) {
              recorder.nanos(Quantity.CHURN, subject.churn(peers));
            }
            recorder.figure(Quantity.CHURN_HELD, ofi4j.memory().heldPerPeer(ofi4j.size()));
          } else {
            int cycles = Math.min(peers, LIBFABRIC_CYCLES);
            recorder.nanos(Quantity.CHURN, subject.churn(cycles), cycles);
          }
        });
  }
}
