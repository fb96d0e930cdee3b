// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.spi.ProgressEngine;

/**
 * The engine behind a queue or counter of the application: it has queues of libfabric read. With
 * manual progress, the threads that read the queue of the application do that. With automatic
 * progress, the thread of the domain does, and threads that read the queue of the application park
 * until a completion is reported.
 */
public final class NativeProgress implements ProgressEngine {
  /** The time between reads that make progress though they need none, in nanoseconds. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  /** The thread of automatic progress; null with manual progress. */
  private final @Nullable NativeProgressThread thread;

  private final PolledQueues queues;
  private final int entries;
  private final @Nullable QueueReader<?> reader;
  private volatile long due = System.nanoTime();

  // A thread that wakes writes woken and then reads sleeper; the sleeper writes sleeper first.
  private volatile boolean woken;
  private volatile @Nullable Thread sleeper;

  /**
   * Creates an engine that has nothing read yet.
   *
   * @param thread the thread of automatic progress; null for manual progress
   * @param entries how many completions the queue of the application holds; 0 for a counter
   * @param reader the reader of all endpoints that report to the queue, closed with this, or null
   */
  public NativeProgress(
      Libfabric library,
      @Nullable NativeProgressThread thread,
      int entries,
      @Nullable QueueReader<?> reader) {
    this.thread = thread;
    this.entries = entries;
    this.reader = reader;
    if (thread == null) {
      queues = new PolledQueues(library, true);
    } else {
      queues = thread.queues();
      thread.tell(this);
    }
  }

  /** Has a queue read from now on: an endpoint reports to the queue or counter of this engine. */
  public void add(QueueReader<?> added) {
    queues.add(added);
  }

  /** Ends one {@link #add}: the endpoint was closed. */
  public void remove(QueueReader<?> removed) {
    queues.remove(removed);
  }

  /**
   * Returns the reader of all endpoints that report to the queue, which is closed with this; null
   * if each endpoint has its own, and for a counter.
   */
  public @Nullable QueueReader<?> reader() {
    return reader;
  }

  /** Returns how many completions the queue of the application holds; 0 for a counter. */
  public int entries() {
    return entries;
  }

  @Override
  public void progress() {
    if (thread == null) {
      queues.move();
    } else {
      thread.checkRunning();
    }
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    if (thread == null) {
      long now = System.nanoTime();
      if (atOnce || now - due >= 0) {
        due = now + DUE;
        queues.move();
      }
    }
  }

  @Override
  public void await(long nanoseconds) {
    if (thread == null) {
      queues.await(nanoseconds);
      return;
    }
    sleeper = Thread.currentThread();
    if (!woken) {
      LockSupport.parkNanos(this, nanoseconds);
    }
    sleeper = null;
    woken = false;
    thread.checkRunning();
  }

  @Override
  public void wake() {
    if (thread == null) {
      queues.wake();
    } else {
      woken = true;
      LockSupport.unpark(sleeper);
    }
  }

  /** Ends a wait: an operation waits to be posted, or the queue of the application has space. */
  public void changed() {
    queues.wake();
  }

  @Override
  public void roomAgain() {
    queues.wake();
  }

  @Override
  public void close() {
    if (thread == null) {
      queues.close();
    } else {
      thread.tellNoMore(this);
    }
    if (reader != null) {
      reader.close();
    }
  }
}
