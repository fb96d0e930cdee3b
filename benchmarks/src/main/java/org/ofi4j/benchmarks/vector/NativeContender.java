// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.schedule.Recorder;

/** A program in C that does rounds of work. */
final class NativeContender implements Contender {
  private final NativeSubject subject;
  private @Nullable RoundWork work;

  NativeContender(NativeSubject subject) {
    this.subject = subject;
  }

  @Override
  public Side side() {
    return subject.side();
  }

  /** The process. */
  NativeSubject subject() {
    return subject;
  }

  @Override
  public void load(RoundWork next, int peers) {
    work = next;
    try (Arena arena = Arena.ofConfined()) {
      subject.load(next.workload(arena, next.peers(peers)));
    }
  }

  @Override
  public void round(int number, FigureSink figures) {
    if (work == null) {
      throw new IllegalStateException("nothing was loaded");
    }
    work.round(subject, new Recorder(figures, subject.side(), subject.count(), number));
  }

  @Override
  public void close() {
    subject.close();
  }
}
