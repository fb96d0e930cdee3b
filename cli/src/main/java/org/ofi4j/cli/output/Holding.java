// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.concurrent.CountDownLatch;

/** Keeps something open until the JVM ends, which a signal brings about, or this is closed. */
public final class Holding implements AutoCloseable {
  private final Runnable closing;
  private final Thread atExit;

  private Holding(Runnable closing) {
    this.closing = closing;
    this.atExit = Thread.ofPlatform().name("ofi4j-close").unstarted(closing);
  }

  /** Has something closed with this, or when the JVM ends before. */
  public static Holding open(Runnable closing) {
    Holding holding = new Holding(closing);
    Runtime.getRuntime().addShutdownHook(holding.atExit);
    return holding;
  }

  /** Waits for the end of the JVM, and closes then. */
  public static void untilInterrupted(Runnable closing) {
    try (Holding holding = open(closing)) {
      holding.await(new CountDownLatch(1));
    }
  }

  /** Waits for the end of the JVM, or for somebody who has had enough. */
  public void await(CountDownLatch enough) {
    try {
      enough.await();
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      // The hook closes.
      return;
    }
    boolean isInterrupted = Thread.interrupted();
    closing.run();
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
