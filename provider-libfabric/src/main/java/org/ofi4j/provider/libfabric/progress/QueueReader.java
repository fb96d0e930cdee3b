// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import org.ofi4j.provider.libfabric.library.Descriptors;
import org.ofi4j.provider.libfabric.library.WaitableQueue;

/**
 * Reads one of libfabric's queues, and has what is in it reported. The lock of its fabric guards
 * all.
 *
 * @param <Q> the kind of queue
 */
public abstract class QueueReader<Q extends WaitableQueue> {
  /** The wait of a reader for which no time is fixed. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** The fabric of the queue with the lock under which the queue is used. */
  protected final LockedFabric locked;

  /** Libfabric's queue. */
  protected final Q queue;

  private boolean open = true;

  /**
   * Creates the reader of a queue that was just opened.
   *
   * @param locked the fabric of the queue with its lock
   */
  protected QueueReader(LockedFabric locked, Q queue) {
    this.locked = locked;
    this.queue = queue;
  }

  /** Returns the fabric of the queue with its lock. */
  public final LockedFabric locked() {
    return locked;
  }

  /** Returns the time for which a reader need not be read if libfabric has nothing for it. */
  public abstract long patience();

  /** Returns whether libfabric may be asked if the queue can be waited for; any thread may ask. */
  protected abstract boolean isWaitable();

  /** Returns whether there is space to report something; with the lock held. */
  public abstract boolean hasRoom();

  /**
   * Has everything reported that there is; with the lock held.
   *
   * @return whether there was something
   */
  protected abstract boolean read();

  /** Lets go of what reading has used; the queue is closed, and the lock is held. */
  protected abstract void closed();

  /**
   * Has everything reported that there is; does nothing if another thread is at it.
   *
   * @return whether there was something
   */
  public boolean move() {
    if (!locked.tryLock()) {
      return false;
    }
    try {
      return open && read();
    } finally {
      locked.unlock();
    }
  }

  /**
   * Has the queue waited for, unless it has no room: then it is not read, whatever there is.
   *
   * @return whether to wait; false if there may be something to be read at once
   */
  final boolean await(Descriptors descriptors) {
    try (var _ = locked.lock()) {
      if (!open || !hasRoom()) {
        return true;
      }
      if (!isWaitable()) {
        return false;
      }
      descriptors.add(queue.descriptor());
      return locked.fabric().tryWait(queue);
    }
  }

  /** Closes libfabric's queue. Nothing is bound to it any more. */
  public final void close() {
    try (var _ = locked.lock()) {
      open = false;
      queue.close();
      closed();
    }
  }
}
