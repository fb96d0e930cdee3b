// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.concurrent.CountDownLatch;

/** Keeps something open until the JVM ends, which a signal brings about. */
public final class Holding {
  private Holding() {}

  /** Waits for the end of the JVM, and closes then. */
  public static void untilInterrupted(Runnable closing) {
    until(new CountDownLatch(1), closing);
  }

  /** Waits for the end of the JVM or for somebody who has had enough, and closes then. */
  public static void until(CountDownLatch enough, Runnable closing) {
    Thread atExit = Thread.ofPlatform().name("ofi4j-close").unstarted(closing);
    Runtime.getRuntime().addShutdownHook(atExit);
    boolean isInterrupted = false;
    try {
      enough.await();
    } catch (InterruptedException end) {
      isInterrupted = true;
    }
    Runtime.getRuntime().removeShutdownHook(atExit);
    closing.run();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
