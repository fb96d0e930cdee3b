// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Descriptors;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * How one thread at a time waits until there may be something in libfabric's queues: with {@code
 * fi_trywait} and {@code poll} where the fabric has descriptors for that, else by looking again and
 * again with pauses that grow. {@code fi_cq_sread} is of no use: some fabrics take no notice of its
 * time-out.
 *
 * <p>Waking, from any thread, ends the wait that is under way, or else the next one. The monitor of
 * this object is held by nobody who waits.
 */
final class Waiting {
  /**
   * How long a wait that an interrupt is to end may go on after that: poll takes no notice of it.
   */
  private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(10);

  /**
   * How often a descriptor may be ready with nothing to be read. Some fabrics have it so as long as
   * a message waits for a receive, or for ever: then there are pauses.
   */
  private static final int MOST_VAIN = 32;

  private static final long FIRST_PAUSE = TimeUnit.MICROSECONDS.toNanos(20);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private final boolean interruptible;
  private final Descriptors descriptors;

  // Guarded by the monitor of this object.
  private boolean waiting;
  private boolean closed;

  // For the thread that waits.
  private long pause = FIRST_PAUSE;

  /** How often there was said to be something since there last was. */
  private int vain;

  private volatile boolean woken;
  private volatile @Nullable Thread sleeper;

  /**
   * Nobody waits yet.
   *
   * @param interruptible whether threads wait that others may interrupt
   */
  Waiting(Libfabric library, boolean interruptible) {
    this.interruptible = interruptible;
    descriptors = new Descriptors(library);
  }

  /**
   * Waits.
   *
   * @param nanoseconds how long, more than 0
   */
  void await(QueueReader[] readers, long nanoseconds) {
    if (!begin()) {
      return;
    }
    try {
      long patience = nanoseconds;
      boolean waitable = true;
      for (QueueReader each : readers) {
        patience = Math.min(patience, each.patience());
        waitable &= each.isWaitable();
      }
      if (waitable && vain < MOST_VAIN && !woken) {
        poll(readers, patience);
      } else if (!woken) {
        vain = Math.max(0, vain - 1);
        park(Math.min(patience, pause));
        pause = Math.min(2 * pause, LONGEST_PAUSE);
      }
    } finally {
      woken = false;
      end();
    }
  }

  private void park(long nanoseconds) {
    sleeper = Thread.currentThread();
    if (!woken) {
      LockSupport.parkNanos(this, nanoseconds);
    }
    sleeper = null;
  }

  /** Something has ended: the next pauses are short. */
  void moved() {
    pause = FIRST_PAUSE;
    vain = 0;
  }

  private void poll(QueueReader[] readers, long nanoseconds) {
    descriptors.begin();
    for (QueueReader each : readers) {
      if (!each.await(descriptors)) {
        vain++;
        return;
      }
    }
    if (descriptors.await(
        milliseconds(interruptible ? Math.min(nanoseconds, SLICE) : nanoseconds))) {
      vain++;
    }
  }

  /** Rounded up, because 0 does not wait. */
  private static int milliseconds(long nanoseconds) {
    long whole = TimeUnit.NANOSECONDS.toMillis(nanoseconds - 1) + 1;
    return (int) Math.min(whole, Integer.MAX_VALUE);
  }

  void wake() {
    if (!woken) {
      woken = true;
      LockSupport.unpark(sleeper);
      synchronized (this) {
        if (!closed) {
          descriptors.wake();
        }
      }
    }
  }

  private synchronized boolean begin() {
    if (closed) {
      return false;
    }
    waiting = true;
    return true;
  }

  private synchronized void end() {
    waiting = false;
    notifyAll();
  }

  /** Wakes who waits, and lets nobody wait any more. */
  void close() {
    boolean interrupted = false;
    synchronized (this) {
      closed = true;
      while (waiting) {
        woken = true;
        descriptors.wake();
        try {
          wait(1);
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
      descriptors.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
