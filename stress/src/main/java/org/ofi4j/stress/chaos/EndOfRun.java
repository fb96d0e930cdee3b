// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts a run when the JVM ends during it, as a signal brings about, and lets the JVM wait
 * until the run has cleaned up.
 */
final class EndOfRun implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 20;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread atExit;

  private EndOfRun(Thread running) {
    atExit = Thread.ofPlatform().name("ofi4j-chaos-end").unstarted(() -> interrupt(running));
  }

  static EndOfRun interrupting(Thread running) {
    EndOfRun end = new EndOfRun(running);
    Runtime.getRuntime().addShutdownHook(end.atExit);
    return end;
  }

  private void interrupt(Thread running) {
    running.interrupt();
    try {
      ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** Marks the run as over, with nothing left behind. */
  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException _) {
      // The hook runs already, and waits no longer.
    }
  }
}
