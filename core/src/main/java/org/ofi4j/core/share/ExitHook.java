// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/**
 * Leaves the vectors that nobody has closed when the process ends in an orderly way: by {@link
 * System#exit}, with the last thread that is no daemon, or by a signal such as SIGTERM. So what the
 * last one leaves behind was killed.
 *
 * <p>Other threads of the process go on meanwhile, and other hooks may close the vectors, before or
 * after. So nothing is unmapped, and nobody who changes entries is waited for; see {@link
 * Membership#leaveAtExit}. There is a hook as long as there are vectors to be left.
 */
final class ExitHook extends Thread {
  /** How long the end of the process waits at most, in ns, for who attaches or leaves just now. */
  private static final long TIMEOUT = 1_000_000_000;

  private static @Nullable ExitHook registered;

  private ExitHook() {
    // Keeps nothing of the thread that opens a vector first.
    super(null, null, "ofi4j-exit", 0, false);
    setContextClassLoader(null);
  }

  /** Says whether there are still vectors to be left. */
  static synchronized void use(boolean any) {
    ExitHook hook = registered;
    try {
      if (any && hook == null) {
        hook = new ExitHook();
        Runtime.getRuntime().addShutdownHook(hook);
        registered = hook;
      } else if (!any && hook != null) {
        registered = null;
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException ending) {
      // The process ends already: whoever opens vectors now has to close them.
      return;
    }
  }

  /** Whether the process leaves vectors when it ends. */
  static synchronized boolean isRegistered() {
    return registered != null;
  }

  @Override
  public void run() {
    long deadline = System.nanoTime() + TIMEOUT;
    for (Membership membership : Memberships.joined()) {
      leave(membership, deadline);
    }
  }

  private static void leave(Membership membership, long deadline) {
    try (PathLock _ = PathLock.acquire(membership.path(), deadline)) {
      membership.leaveAtExit(deadline);
    } catch (FabricException | IOException | InternalError left) {
      // By somebody who is stopped, or cannot be used any more: there are others to be left.
      return;
    }
  }
}
