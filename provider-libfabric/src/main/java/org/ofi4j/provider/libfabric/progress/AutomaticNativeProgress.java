// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Automatic progress as one queue of the application sees it: the thread of the domain has queues
 * of libfabric read, and the threads that read the queue park until a completion is reported.
 */
public final class AutomaticNativeProgress extends NativeProgress {
  private final NativeProgressThread thread;

  // A thread that wakes writes woken and then reads sleeper; the sleeper writes sleeper first.
  private volatile boolean woken;
  private volatile @Nullable Thread sleeper;

  /**
   * Creates an engine that has nothing read yet.
   *
   * @param entries how many completions the queue of the application holds; 0 for a counter
   * @param reader the reader of all endpoints that report to the queue, closed with this, or null
   */
  public AutomaticNativeProgress(
      NativeProgressThread thread, int entries, @Nullable QueueReader reader) {
    super(thread.queues(), entries, reader);
    this.thread = thread;
    thread.tell(this);
  }

  @Override
  public void progress() {
    thread.checkRunning();
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    // The thread of the domain moves the data.
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
  public void close() {
    thread.tellNoMore(this);
    super.close();
  }
}
