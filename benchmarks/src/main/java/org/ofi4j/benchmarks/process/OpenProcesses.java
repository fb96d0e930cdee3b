// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.util.ArrayDeque;
import java.util.Deque;

/** All processes of a run, so that none outlives it however it ends. For several threads. */
public final class OpenProcesses implements AutoCloseable {
  private final Deque<Runnable> closers = new ArrayDeque<>();
  private boolean isClosed;

  /** None yet. */
  public OpenProcesses() {}

  /** Takes over a process; its closer does nothing if it has ended. */
  public <T> T add(T process, Runnable closer) {
    boolean late;
    synchronized (this) {
      late = isClosed;
      if (!late) {
        closers.push(closer);
      }
    }
    if (late) {
      closer.run();
      throw new IllegalStateException("the run is over");
    }
    return process;
  }

  @Override
  public void close() {
    while (true) {
      Runnable next;
      synchronized (this) {
        isClosed = true;
        next = closers.poll();
      }
      if (next == null) {
        return;
      }
      next.run();
    }
  }
}
