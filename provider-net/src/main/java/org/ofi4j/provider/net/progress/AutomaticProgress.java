// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Automatic progress as one completion queue sees it: the domain's thread moves the data, readers
 * park until they are told of a completion.
 */
public final class AutomaticProgress implements NetProgress {
  private final ProgressThread thread;
  private final Targets targets = new Targets();

  // Whoever wakes writes woken and then reads sleeper; the sleeper does it the other way round.
  private volatile boolean woken;
  private volatile @Nullable Thread sleeper;

  /** Whether the thread is about to wake the sleeper, and whom it wakes next; for it alone. */
  boolean isToWake;

  @Nullable AutomaticProgress nextToWake;

  public AutomaticProgress(ProgressThread thread) {
    this.thread = thread;
    thread.tell(this);
  }

  @Override
  public void add(ProgressTarget target) {
    targets.add(target);
    thread.look(target);
  }

  @Override
  public void remove(ProgressTarget target) {
    targets.remove(target);
    thread.forget();
  }

  @Override
  public void changed(ProgressTarget target) {
    thread.look(target);
  }

  @Override
  public void closedChannels() {
    // The thread looks in its selector after every turn.
  }

  @Override
  public void progress() {
    // The domain's thread is at it, or readers would wait for nothing.
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
    // A thread that ends notes that before it wakes the readers.
    thread.checkRunning();
  }

  @Override
  public void wake() {
    woken = true;
    if (!thread.wakeLater(this)) {
      wakeSleeper();
    }
  }

  void wakeSleeper() {
    LockSupport.unpark(sleeper);
  }

  @Override
  public void roomAgain() {
    for (ProgressTarget target : targets.all()) {
      thread.look(target);
    }
  }

  @Override
  public void close() {
    thread.tellNoMore(this);
  }
}
