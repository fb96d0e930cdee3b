// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * The lock of all writers of all processes: one of the threads of this one, and a byte of the
 * control file, which the kernel gives back when the process ends. A process that is stopped keeps
 * it.
 */
final class WriterLock {
  private final ControlFile control;
  private final ReentrantLock threads = new ReentrantLock();
  private @Nullable FileLock held;

  WriterLock(ControlFile control) {
    this.control = control;
  }

  /**
   * Waits for the lock, and takes it; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  void lock(long deadline) {
    if (!Waiting.lock(threads, deadline)) {
      throw control.lateThread();
    }
    try {
      if (threads.getHoldCount() == 1) {
        held = control.writer(deadline);
      }
    } catch (Throwable failed) {
      threads.unlock();
      throw failed;
    }
  }

  void unlock() {
    FileLock last = held;
    try {
      if (threads.getHoldCount() == 1 && last != null) {
        held = null;
        last.release();
        control.giveWay();
      }
    } catch (IOException e) {
      throw new FabricException(
          Errno.EIO, "the lock of " + control.path() + " cannot be released: " + e, e);
    } finally {
      threads.unlock();
    }
  }
}
