// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Descriptors;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Queues of libfabric that are read together, and the wait of one thread at a time until there may
 * be something in them: with {@code fi_trywait} and {@code poll} where the fabric has descriptors
 * for that, else by looking again and again with pauses that grow. {@code fi_cq_sread} is of no
 * use: some fabrics take no notice of its time-out.
 *
 * <p>Any thread may add, remove and read queues. A queue is read once a turn, however often it was
 * added. Waking, from any thread, ends the wait that is under way, or else the next one. No thread
 * has the monitor of this object while it waits.
 */
final class PolledQueues {
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

  // Guarded by the monitor of the list.
  private final List<QueueReader<?>> added = new ArrayList<>();
  private volatile QueueReader<?>[] different = {};

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
   * Creates a set without queues.
   *
   * @param interruptible whether threads wait that others may interrupt
   */
  PolledQueues(Libfabric library, boolean interruptible) {
    this.interruptible = interruptible;
    descriptors = new Descriptors(library);
  }

  /** Adds a queue, and wakes the thread that waits. */
  void add(QueueReader<?> reader) {
    change(all -> all.add(reader));
  }

  /** Removes a queue that was added, and wakes the thread that waits. */
  void remove(QueueReader<?> reader) {
    change(all -> all.remove(reader));
  }

  private void change(Consumer<List<QueueReader<?>>> change) {
    synchronized (added) {
      change.accept(added);
      different = new HashSet<>(added).toArray(QueueReader<?>[]::new);
    }
    wake();
  }

  /** Reads all queues; returns whether there was something in one. */
  boolean move() {
    boolean moved = false;
    for (QueueReader<?> each : different) {
      moved |= each.move();
    }
    if (moved) {
      pause = FIRST_PAUSE;
      vain = 0;
    }
    return moved;
  }

  /**
   * Waits until there may be something in a queue.
   *
   * @param nanoseconds how long, more than 0
   */
  void await(long nanoseconds) {
    QueueReader<?>[] readers = different;
    if (!begin()) {
      return;
    }
    try {
      long patience = nanoseconds;
      boolean waitable = true;
      for (QueueReader<?> each : readers) {
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

  private void poll(QueueReader<?>[] readers, long nanoseconds) {
    descriptors.begin();
    for (QueueReader<?> each : readers) {
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
