// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * Locks of this process by path: one thread at a time opens, closes or asks about a vector, as
 * locks of files do not keep threads of one process apart. Who waits for one vector is no obstacle
 * to others.
 */
final class PathLocks {
  private static final Map<Path, PathLock> LOCKS = new HashMap<>();

  private static final class PathLock {
    final ReentrantLock lock = new ReentrantLock();

    /** How often it is had or waited for; it goes with the last. */
    int users;
  }

  private PathLocks() {}

  /** Acquires the lock of a path, however long that takes; again for who has it. */
  static void acquire(Path control) {
    of(control).lock.lock();
  }

  /**
   * Acquires the lock of a path; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN} if others have it for all that time
   */
  static void acquire(Path control, long deadline) {
    PathLock held = of(control);
    if (!Waiting.lock(held.lock, deadline)) {
      synchronized (LOCKS) {
        leave(control, held);
      }
      throw new FabricException(
          Errno.EAGAIN,
          "another thread of this process, "
              + OwnProcess.id()
              + ", has been opening, closing or looking at the vector of "
              + control
              + " for longer than others wait: try again");
    }
  }

  private static PathLock of(Path control) {
    synchronized (LOCKS) {
      PathLock held = LOCKS.get(control);
      if (held == null) {
        held = new PathLock();
        LOCKS.put(control, held);
      }
      held.users++;
      return held;
    }
  }

  private static void leave(Path control, PathLock held) {
    if (--held.users == 0) {
      LOCKS.remove(control);
    }
  }

  /** Releases it, as often as it was acquired. */
  static void release(Path control) {
    synchronized (LOCKS) {
      PathLock held = LOCKS.get(control);
      if (held == null) {
        throw new IllegalStateException(control + " is locked by nobody");
      }
      held.lock.unlock();
      leave(control, held);
    }
  }
}
