package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of this library. It warms up with few peers, because the compiler counts calls and not
 * cache misses, and then, where bars rest on it, does rounds as they will be measured.
 */
final class WarmRounds {
  private static final int FEW_PEERS = 50_000;

  private final Ofi4jSubject subject;
  private @Nullable RoundWork work;
  private @Nullable Arena arena;
  private int peers;
  private int rounds;

  WarmRounds(TimeSource time) {
    this.subject = new Ofi4jSubject(time);
  }

  /**
   * Prepares work and warms up for it.
   *
   * @param next the work
   * @param count with how many peers
   * @param all how many rounds there will be
   * @param nanos how long with few
   * @param before how many rounds with all
   */
  void load(RoundWork next, int count, int all, long nanos, int before) {
    // What follows other work finds much of it compiled.
    long wanted = work == null ? nanos : nanos / 3;
    work = next;
    rounds = all;
    int few = Math.min(FEW_PEERS, count);
    load(next, few);
    long begin = System.nanoTime();
    for (int round = 0; round < 2 || System.nanoTime() - begin < wanted; round++) {
      once(round, null);
    }
    if (few < count) {
      load(next, count);
      for (int round = 0; round < before; round++) {
        once(round, null);
      }
    }
    subject.closeVector();
  }

  private void load(RoundWork next, int count) {
    Arena former = arena;
    Arena fresh = Arena.ofShared();
    arena = fresh;
    peers = next.peers(count);
    subject.load(next.workload(fresh, peers));
    if (former != null) {
      former.close();
    }
  }

  /** One round of what was loaded. */
  void round(int number, FigureSink figures) {
    once(number, figures);
  }

  private void once(int number, @Nullable FigureSink figures) {
    RoundWork current = Objects.requireNonNull(work, "nothing was loaded");
    current.round(subject, new Recorder(figures, Side.OFI4J, peers, number), rounds);
  }
}
