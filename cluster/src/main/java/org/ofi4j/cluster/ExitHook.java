// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Removes the {@linkplain TableFile files} that nobody has closed when the process ends in an
 * orderly way: by {@link System#exit}, with the last thread that is no daemon, or by a signal such
 * as SIGTERM. There is a hook as long as there are open files.
 */
final class ExitHook extends Thread {
  private static @Nullable ExitHook registered;

  private ExitHook() {
    // Keeps nothing of the thread that opens a file first.
    super(null, null, "ofi4j-cluster-exit", 0, false);
    setContextClassLoader(null);
  }

  /** Says whether there are open files. */
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
      // The process ends already: whoever opens files now has to close them.
      return;
    }
  }

  @Override
  public void run() {
    TableFile.leaveAll();
  }
}
