// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes the files in shared memory of endpoints that nobody has closed when the process ends in
 * an orderly way: by {@link System#exit}, with the last thread that is no daemon, or by a signal
 * such as SIGTERM. libfabric's own handlers of signals would do it; but those are undone.
 *
 * <p>Other threads of the process go on meanwhile, and may use the endpoints: so nothing native is
 * touched. A file that is mapped stays there for who has mapped it. There is a hook as long as
 * there are files.
 */
final class ExitHook extends Thread {
  private static final Set<EndpointFile> FILES = new HashSet<>();
  private static @Nullable ExitHook registered;

  private ExitHook() {
    // Keeps nothing of the thread that opens an endpoint first.
    super(null, null, "ofi4j-libfabric-exit", 0, false);
    setContextClassLoader(null);
  }

  /** Adds the file of an endpoint that is open. */
  static synchronized void add(EndpointFile file) {
    FILES.add(file);
    update();
  }

  /** Removes the file of an endpoint that is closed. */
  static synchronized void remove(EndpointFile file) {
    FILES.remove(file);
    update();
  }

  private static void update() {
    ExitHook hook = registered;
    try {
      if (hook == null && !FILES.isEmpty()) {
        hook = new ExitHook();
        Runtime.getRuntime().addShutdownHook(hook);
        registered = hook;
      } else if (hook != null && FILES.isEmpty()) {
        registered = null;
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException ending) {
      // The process ends already: whoever opens endpoints now has to close them.
      return;
    }
  }

  private static synchronized List<EndpointFile> files() {
    return List.copyOf(FILES);
  }

  @Override
  public void run() {
    files().forEach(EndpointFile::exit);
  }
}
