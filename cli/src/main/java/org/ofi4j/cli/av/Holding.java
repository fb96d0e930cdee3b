// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.concurrent.CountDownLatch;
import org.ofi4j.Printable;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;

/** Keeps a named vector, which goes with the last process that has it open. */
final class Holding {
  private Holding() {}

  /** Waits for the end of the JVM, which a signal brings about, and closes the vector then. */
  static void untilInterrupted(Terminal terminal, VectorSession session) {
    Thread closing = Thread.ofPlatform().name("ofi4j-close").unstarted(session::close);
    Runtime.getRuntime().addShutdownHook(closing);
    String name = String.valueOf(session.vector().options().name());
    terminal.err().println("Vector " + Printable.line(name) + " is open; end with Ctrl-C.");
    terminal.err().flush();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException end) {
      Runtime.getRuntime().removeShutdownHook(closing);
      Thread.currentThread().interrupt();
    }
  }
}
