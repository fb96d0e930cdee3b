// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Automatic progress as one queue sees it: the domain's thread has libfabric's queues read, readers
 * park until they are told of a completion.
 */
public final class AutomaticNativeProgress implements NativeProgress {
  private final NativeProgressThread thread;
  private final @Nullable QueueBackend backend;

  // Whoever wakes writes woken and then reads sleeper; the sleeper does it the other way round.
  private volatile boolean woken;
  private volatile @Nullable Thread sleeper;

  /**
   * Moves nothing yet.
   *
   * @param backend the backend of a queue, closed with this; null for a counter
   */
  public AutomaticNativeProgress(NativeProgressThread thread, @Nullable QueueBackend backend) {
    this.thread = thread;
    this.backend = backend;
    thread.tell(this);
  }

  @Override
  public void add(QueueReader reader) {
    thread.add(reader);
  }

  @Override
  public void remove(QueueReader reader) {
    thread.remove(reader);
  }

  @Override
  public QueueBackend backend() {
    return Objects.requireNonNull(backend);
  }

  @Override
  public void changed() {
    thread.wake();
  }

  @Override
  public void progress() {
    thread.checkRunning();
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    // The thread moves the data whoever reads.
  }

  @Override
  public void await(long nanoseconds) {
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
    woken = true;
    LockSupport.unpark(sleeper);
  }

  @Override
  public void roomAgain() {
    thread.wake();
  }

  @Override
  public void close() {
    thread.tellNoMore(this);
    if (backend != null) {
      backend.close();
    }
  }
}
