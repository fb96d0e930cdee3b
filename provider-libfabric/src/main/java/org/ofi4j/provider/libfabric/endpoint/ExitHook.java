// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final Set<Path> FILES = new HashSet<>();
  private static final String OWN = ProcessHandle.current().pid() + ":";
  private static @Nullable ExitHook registered;

  private ExitHook() {
    // Keeps nothing of the thread that opens an endpoint first.
    super(null, null, "ofi4j-libfabric-exit", 0, false);
    setContextClassLoader(null);
  }

  /**
   * An endpoint is about to have a file. If there is one already, with the number of this process
   * in its name, a process has left it that was killed and had the same number: libfabric would see
   * that number in it, find a process of it, and take the file for one in use. It removes those of
   * numbers that nobody has, so that processes which share memory share the numbers too.
   *
   * @return false if another endpoint of this process has the file
   */
  static synchronized boolean claim(Path file) {
    if (!FILES.add(file)) {
      return false;
    }
    if (file.getFileName().toString().startsWith(OWN)) {
      delete(file);
    }
    update();
    return true;
  }

  /** Whoever had it has removed it, or has not made it. */
  static synchronized void remove(Path file) {
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

  private static synchronized List<Path> files() {
    return List.copyOf(FILES);
  }

  @Override
  public void run() {
    files().forEach(ExitHook::delete);
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException kept) {
      // There are others to be removed.
      return;
    }
  }
}
