// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Actions for objects that are still open when the process ends in an orderly way: by {@link
 * System#exit}, with the last thread that is no daemon, or by a signal such as SIGTERM. They are
 * run one after the other, while other threads go on and may use the objects or close them. There
 * is a hook of the JVM as long as there are actions. Any thread may call.
 */
public final class ExitHook {
  private static final Set<Runnable> ACTIONS = new LinkedHashSet<>();
  private static @Nullable Thread registered;

  private ExitHook() {}

  /**
   * Adds an action; does nothing if it was added before, or the process ends already.
   *
   * @param action run in a thread of its own; what it throws is ignored
   */
  public static synchronized void add(Runnable action) {
    ACTIONS.add(action);
    update();
  }

  /** Removes an action; does nothing if it is not there. */
  public static synchronized void remove(Runnable action) {
    ACTIONS.remove(action);
    update();
  }

  /** Returns whether there is a hook of the JVM. */
  public static synchronized boolean isRegistered() {
    return registered != null;
  }

  private static void update() {
    Thread hook = registered;
    try {
      if (hook == null && !ACTIONS.isEmpty()) {
        // Keeps nothing of the thread that opens an object first.
        hook = new Thread(null, ExitHook::run, "ofi4j-exit", 0, false);
        hook.setContextClassLoader(null);
        Runtime.getRuntime().addShutdownHook(hook);
        registered = hook;
      } else if (hook != null && ACTIONS.isEmpty()) {
        registered = null;
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException ending) {
      // Objects that are opened now have to be closed.
      return;
    }
  }

  private static synchronized List<Runnable> actions() {
    return List.copyOf(ACTIONS);
  }

  private static void run() {
    for (Runnable each : actions()) {
      try {
        each.run();
      } catch (RuntimeException | Error failed) {
        // The process ends, and there are others.
      }
    }
  }
}
