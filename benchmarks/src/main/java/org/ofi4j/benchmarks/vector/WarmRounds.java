// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Recorder;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * Rounds of this library. It warms up with few peers, because the compiler counts calls and not
 * cache misses, and then, where bars rest on it, does rounds as they will be measured.
 */
final class WarmRounds {
  private static final int FEW_PEERS = 50_000;

  private static final long WARM_UP_NANOS = 450_000_000;

  /** With fewer rounds than this, which is for a quick look, it takes less time. */
  private static final int USUAL_ROUNDS = 11;

  /** So many times as long as usual, where the compiler needs it. */
  private static final int PATIENCE = 2;

  /** A compiler that does nothing for so long has nothing to do. */
  private static final long IDLE_NANOS = 100_000_000;

  /** None in a JVM that only interprets. */
  private static final @Nullable CompilationMXBean COMPILATION =
      ManagementFactory.getCompilationMXBean();

  private final Ofi4jSubject subject;
  private @Nullable RoundWork work;
  private @Nullable Arena arena;
  private int peers;

  WarmRounds(TimeSource time) {
    this.subject = new Ofi4jSubject(Side.OFI4J, time, null);
  }

  /** Prepares work and warms up for it, for less time before fewer rounds. */
  void load(RoundWork next, int count, int rounds) {
    long usual = WARM_UP_NANOS * Math.min(rounds, USUAL_ROUNDS) / USUAL_ROUNDS;
    // What follows other work finds much of it compiled.
    long wanted = work == null ? usual : usual / 4;
    work = next;
    load(next, Math.min(FEW_PEERS, count));
    warmUp(wanted, Math.max(PATIENCE * wanted, usual));
    if (FEW_PEERS < count) {
      load(next, count);
      round(0, figure -> {});
    }
    subject.closeVector();
  }

  /** Goes on while the compiler does, but not for longer than that. */
  private void warmUp(long nanos, long most) {
    long begin = System.nanoTime();
    long end = nanos;
    long compiled = compilationTime();
    for (int round = 0; round < 2 || System.nanoTime() - begin < Math.min(end, most); round++) {
      round(round, figure -> {});
      long now = compilationTime();
      if (now != compiled) {
        compiled = now;
        end = Math.max(nanos, System.nanoTime() - begin + IDLE_NANOS);
      }
    }
  }

  private static long compilationTime() {
    return COMPILATION == null ? 0 : COMPILATION.getTotalCompilationTime();
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
    RoundWork current = Objects.requireNonNull(work, "nothing was loaded");
    current.round(subject, new Recorder(figures, Side.OFI4J, peers, number));
  }
}
