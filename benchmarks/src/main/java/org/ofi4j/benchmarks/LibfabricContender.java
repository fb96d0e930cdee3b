package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** A provider of libfabric. It is compiled already; it warms up with few addresses. */
final class LibfabricContender implements Contender {
  private static final int FEW_PEERS = 20_000;
  private static final int WARM_UP_ROUNDS = 5;

  private final LibfabricSubject subject;
  private final int rounds;
  private @Nullable Arena arena;
  private @Nullable RoundWork work;
  private boolean isWarm;

  LibfabricContender(LibfabricSubject subject, BenchmarkOptions options) {
    this.subject = subject;
    this.rounds = options.rounds();
  }

  @Override
  public Side side() {
    return subject.side();
  }

  /** The process. */
  LibfabricSubject subject() {
    return subject;
  }

  @Override
  public void load(RoundWork next, int peers) {
    if (!isWarm) {
      warmUp(subject);
      isWarm = true;
    }
    Arena former = arena;
    Arena fresh = Arena.ofShared();
    arena = fresh;
    work = next;
    subject.load(next.workload(fresh, next.peers(peers)));
    if (former != null) {
      former.close();
    }
  }

  /** Loads what its provider loads late, and lets the process have memory once. */
  static void warmUp(LibfabricSubject subject) {
    try (Arena few = Arena.ofShared()) {
      subject.load(Workload.of(few, AddressPattern.SCATTERED, Family.IPV4, FEW_PEERS));
      for (int round = 0; round < WARM_UP_ROUNDS; round++) {
        subject.insert(true);
        subject.lookup();
        subject.removeInOrder();
      }
      subject.closeVector();
    }
  }

  @Override
  public void round(int number, FigureSink figures) {
    if (work == null) {
      throw new IllegalStateException("nothing was loaded");
    }
    work.round(subject, new Recorder(figures, subject.side(), subject.count(), number), rounds);
  }

  @Override
  public void close() {
    subject.close();
    if (arena != null) {
      arena.close();
      arena = null;
    }
  }
}
