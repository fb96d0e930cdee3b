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
 *
 * <p>The system also takes the byte away when other code of the process closes the control file. So
 * the word of the writer decides: a process whose word is there, and which {@link LivenessSocket
 * lives}, has the lock of all writers.
 */
final class WriterLock {
  private final ControlFile control;
  private final Participants participants;
  private final ReentrantLock threads = new ReentrantLock();
  private @Nullable FileLock held;

  /** The word of the writer when the lock was taken: 0, or that of one that died or failed. */
  private long left;

  /** The word of this process in its present change. */
  private long own;

  WriterLock(ControlFile control, Participants participants) {
    this.control = control;
    this.participants = participants;
  }

  /**
   * Waits for the lock, and takes it; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  void lock(long deadline) {
    if (!Waiting.lock(threads, deadline)) {
      throw control.lateThread(participants.place());
    }
    try {
      if (threads.getHoldCount() == 1) {
        held = control.lockWriters(deadline, this::isFree);
      }
    } catch (Throwable failed) {
      threads.unlock();
      throw failed;
    }
  }

  /** Whether the process that changes entries, according to its word, has died or failed at it. */
  private boolean isFree() throws IOException {
    left = control.isMapped() ? control.writer() : 0;
    return left == 0 || !participants.isListeningElsewhere(ControlFile.place(left));
  }

  /**
   * Takes the lock for a change, and stores the word of this process.
   *
   * @param check throws an exception if this process may not change anything, with the lock
   * @return whether the last writer died or failed, and left something to be repaired
   * @throws FabricException as {@link #lock}, without the lock
   */
  boolean begin(long deadline, Runnable check) {
    while (true) {
      lock(deadline);
      boolean begun = false;
      try {
        check.run();
        own = ControlFile.writer(ControlFile.PROCESS, participants.place());
        begun = control.beginChange(left, own);
        if (begun) {
          return left != 0;
        }
        // Another process has begun, as the byte was taken away between the lock and the word.
      } finally {
        if (!begun) {
          unlock();
        }
      }
    }
  }

  /**
   * Ends a change, and gives the lock back.
   *
   * @return the number of changes
   * @throws FabricException with {@link Errno#EIO}, without the lock, if another process took this
   *     one for dead; then nothing was stored
   */
  long end() {
    try {
      if (!isOwn()) {
        throw participants.replaced();
      }
      return control.endChange();
    } finally {
      unlock();
    }
  }

  /** Gives the lock back after a change that failed, which the next writer repairs. */
  void fail() {
    try {
      if (isOwn()) {
        control.failChange(own);
      }
    } catch (InternalError cut) {
      // The next use of the file reports that it was cut.
      return;
    } finally {
      unlock();
    }
  }

  private boolean isOwn() {
    return participants.isOwnVector() && control.writer() == own;
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
          Errno.EIO, "the lock of " + control.path + " cannot be released: " + e, e);
    } finally {
      threads.unlock();
    }
  }
}
