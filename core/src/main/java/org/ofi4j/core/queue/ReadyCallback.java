// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What a queue tells once that there is something to read. Any thread may want and tell. */
final class ReadyCallback {
  private final AtomicReference<@Nullable Runnable> wanted = new AtomicReference<>();

  /** Takes the place of one that has not been run. The caller looks at its queue after that. */
  void want(Runnable callback) {
    wanted.set(callback);
  }

  boolean isWanted() {
    return wanted.get() != null;
  }

  void drop() {
    wanted.set(null);
  }

  /** Runs the callback if there is one and nobody else does. */
  void tell() {
    Runnable told = isWanted() ? wanted.getAndSet(null) : null;
    if (told != null) {
      try {
        told.run();
      } catch (RuntimeException | Error thrown) {
        hand(thrown);
      }
    }
  }

  /** Gives what a callback threw to the handler of the thread, as the JVM does. */
  private static void hand(Throwable thrown) {
    Thread thread = Thread.currentThread();
    try {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    } catch (RuntimeException | Error ignored) {
      // As the JVM does: what the handler throws is nobody's.
    }
  }
}
