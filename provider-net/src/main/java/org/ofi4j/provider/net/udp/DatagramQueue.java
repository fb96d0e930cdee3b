// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.nio.channels.DatagramChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Wakeups;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * One direction of a datagram endpoint: the messages or buffers that are posted and wait for the
 * socket or for room in the completion queue, in the order of posting. {@link DatagramTransmitter}
 * and {@link DatagramReceiver} say how one of them is moved.
 *
 * <p>One lock guards all.
 */
abstract class DatagramQueue {
  /** How many datagrams to move before others get their turn. */
  private static final int BATCH = 64;

  final DatagramChannel channel;
  final Completions completions;
  final Staging.Pool staging;
  private final ReentrantLock lock = new ReentrantLock();
  private final Wakeups wakeups = new Wakeups(lock::unlock);
  final OperationPool<Datagram> pool;
  final Operations<Datagram> waiting = new Operations<>();
  private final Runnable changed;
  private boolean firstWaits;
  private boolean closed;

  /**
   * Nothing is posted yet.
   *
   * @param size how many datagrams can be posted at a time
   * @param changed is run, without the lock, when one waits and none did before
   */
  @SuppressWarnings("this-escape") // kept for later
  DatagramQueue(
      DatagramChannel channel,
      Completions completions,
      Staging.Pool staging,
      int size,
      Runnable changed) {
    this.channel = channel;
    this.completions = completions;
    this.staging = staging;
    this.changed = changed;
    completions.wakeThrough(wakeups);
    pool = new OperationPool<>(size, Datagram::new);
  }

  public final void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  public final void unlock() {
    boolean tell = firstWaits;
    firstWaits = false;
    wakeups.releaseAndWake();
    if (tell) {
      changed.run();
    }
  }

  public final long outstanding() {
    return pool.outstanding();
  }

  /** Adds a datagram behind all others. */
  final void add(Datagram posted) {
    waiting.add(posted);
    firstWaits |= waiting.size() == 1;
  }

  /** Moves what can be moved, unless another thread is at it. */
  final void progress() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      completions.reportKept();
      if (!waiting.isEmpty()) {
        try (Staging borrowed = staging.borrow()) {
          for (int moved = 0; moved < BATCH && moveFirst(borrowed); moved++) {
            // Goes on.
          }
        }
      }
    } finally {
      wakeups.releaseAndWake();
    }
  }

  private boolean moveFirst(Staging borrowed) {
    Datagram first = waiting.first();
    return first != null && completions.hasRoom() && move(first, borrowed);
  }

  /**
   * Moves the first datagram that waits, and reports it.
   *
   * @return false if the socket cannot do that now
   */
  abstract boolean move(Datagram first, Staging borrowed);

  /**
   * Gets ready for a sleep; true if a datagram would be moved now. Waits for the lock, so that what
   * {@link #progress} had to leave to another thread is not left undone by both.
   */
  final boolean settle() {
    lock.lock();
    try {
      completions.reportKept();
      return !waiting.isEmpty() && completions.hasRoom();
    } finally {
      wakeups.releaseAndWake();
    }
  }

  /** Drops what is posted; no memory of the application is touched after this returns. */
  void close() {
    lock.lock();
    try {
      closed = true;
      completions.detach();
      waiting.clear();
      pool.clear();
    } finally {
      wakeups.releaseAndWake();
    }
  }
}
