// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import org.ofi4j.provider.libfabric.library.Descriptors;
import org.ofi4j.provider.libfabric.library.WaitableQueue;

/** Reads one of libfabric's queues, and has what is in it reported. */
public interface QueueReader {
  /** The wait of a reader for which no time is fixed. */
  long NO_LIMIT = Long.MAX_VALUE;

  /**
   * Has everything reported that there is; does nothing if another thread is at it.
   *
   * @return whether there was something
   */
  boolean move();

  /** How long nobody need look at it if libfabric has nothing, in nanoseconds; any thread asks. */
  long patience();

  /** Whether libfabric may be asked if its queue can be waited for; any thread may ask. */
  boolean isWaitable();

  /** What the queue is of, and the lock under which it is used. */
  LockedFabric locked();

  /** Libfabric's queue. */
  WaitableQueue queue();

  /** Whether libfabric's queue is still there; with the lock held. */
  boolean isOpen();

  /** Whether there is room to report something; with the lock held. */
  boolean hasRoom();

  /** Closes libfabric's queue. Nothing is bound to it any more. */
  void close();

  /**
   * Has the queue waited for, unless it has no room: then it is not read, whatever there is.
   *
   * @return whether to wait; false if there may be something to be read at once
   */
  default boolean await(Descriptors descriptors) {
    locked().lock();
    try {
      if (!isOpen() || !hasRoom()) {
        return true;
      }
      if (!isWaitable()) {
        return false;
      }
      descriptors.add(queue().descriptor());
      return locked().fabric().tryWait(queue());
    } finally {
      locked().unlock();
    }
  }
}
