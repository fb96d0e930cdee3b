// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.store.EntryStore;

/**
 * The lock of whoever changes a vector: that of this process, and for changes of entries also that
 * of all processes if the vector has a name. Nothing slow happens under it. Any thread may take it.
 */
final class VectorLock {
  /** What was taken; closing gives it back. */
  @FunctionalInterface
  interface Held extends AutoCloseable {
    @Override
    void close();
  }

  private static final long A_MOMENT = 20_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final EntryStore store;
  private final Lifetime lifetime;
  private final Held own = lock::unlock;
  private final Held all = this::end;

  VectorLock(EntryStore store, Lifetime lifetime) {
    this.store = store;
    this.lifetime = lifetime;
  }

  /**
   * Takes the lock; refuses if the vector has been closed meanwhile.
   *
   * @throws FabricException as {@link EntryStore#late}, if others have it for too long
   */
  Held lock() {
    if (!lock.tryLock()) {
      await(Waiting.deadline(store.lockTimeout()));
    }
    checkOpen();
    return own;
  }

  private void await(long deadline) {
    if (!Waiting.lock(lock, deadline)) {
      throw store.late();
    }
  }

  private void checkOpen() {
    if (!lifetime.isOpen()) {
      lock.unlock();
      throw lifetime.closed();
    }
  }

  /** Takes the lock of a vector that may be closing. */
  Held lockAnyway() {
    lock.lock();
    return own;
  }

  /**
   * Takes the lock for changes of entries, which is also that of all other processes if the vector
   * has a name.
   *
   * @throws FabricException if the vector has been closed meanwhile, and as {@link
   *     EntryStore#begin}
   */
  Held begin() {
    return begin(false);
  }

  /** The same for a vector that may be closing. */
  Held beginAnyway() {
    return begin(true);
  }

  private Held begin(boolean anyway) {
    boolean waits = !lock.tryLock();
    // Who waits here waits less for other processes.
    long deadline = waits ? Waiting.deadline(store.lockTimeout()) : 0;
    if (waits) {
      await(deadline);
    }
    if (!anyway) {
      checkOpen();
    }
    boolean begun = false;
    try {
      if (waits) {
        store.begin(deadline);
      } else {
        store.begin();
      }
      begun = true;
      return all;
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          "no memory, or no thread, is left to change the vector: " + exhausted.getMessage(),
          exhausted);
    } finally {
      if (!begun) {
        lock.unlock();
      }
    }
  }

  /** Ends what {@link #begin} began, as closing it does. */
  void end() {
    try {
      store.end();
    } finally {
      lock.unlock();
    }
  }

  /** Lets those in who wait for the lock; to be called between two holds of a long operation. */
  void giveWay() {
    if (lock.hasQueuedThreads()) {
      LockSupport.parkNanos(A_MOMENT);
    }
  }
}
