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
 * The lock of this process for a path: one thread at a time opens, closes or asks about a vector,
 * as locks of files do not keep threads of one process apart. Who waits for one vector is no
 * obstacle to others.
 */
final class PathLock implements AutoCloseable {
  private static final Map<Path, PathLock> LOCKS = new HashMap<>();

  private final Path control;
  private final ReentrantLock lock = new ReentrantLock();

  /** How often it is had or waited for; it goes with the last. */
  private int users;

  private PathLock(Path control) {
    this.control = control;
  }

  /** Acquires the lock of a path, however long that takes; again for who has it. */
  static PathLock acquire(Path control) {
    PathLock held = of(control);
    held.lock.lock();
    return held;
  }

  /**
   * Acquires the lock of a path; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN} if others have it for all that time
   */
  static PathLock acquire(Path control, long deadline) {
    PathLock held = of(control);
    if (!Waiting.lock(held.lock, deadline)) {
      held.leave();
      throw new FabricException(
          Errno.EAGAIN,
          "another thread of this process, "
              + ControlFile.PROCESS
              + ", has been opening, closing or looking at the vector of "
              + control
              + " for longer than others wait: try again");
    }
    return held;
  }

  private static PathLock of(Path control) {
    synchronized (LOCKS) {
      PathLock held = LOCKS.computeIfAbsent(control, PathLock::new);
      held.users++;
      return held;
    }
  }

  private void leave() {
    synchronized (LOCKS) {
      if (--users == 0) {
        LOCKS.remove(control);
      }
    }
  }

  /** Releases it, as often as it was acquired. */
  @Override
  public void close() {
    lock.unlock();
    leave();
  }
}
