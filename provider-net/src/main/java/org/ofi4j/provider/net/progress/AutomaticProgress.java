// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Automatic progress as one completion queue sees it: a reader that waits moves the data of the
 * domain if no other thread does, and otherwise parks until it is told of a completion.
 */
public final class AutomaticProgress extends NetProgress {
  private final ProgressThread thread;

  /** Whether a reader is to look at its queue again. */
  volatile boolean woken;

  // A reader that parks; it counts among those of the thread until it is taken from here. A thread
  // that wakes writes woken before it takes the reader, which reads it afterwards.
  private final AtomicReference<@Nullable Thread> follower = new AtomicReference<>();

  public AutomaticProgress(ProgressThread thread) {
    this.thread = thread;
    thread.tell(this);
  }

  @Override
  public void add(ProgressTarget target) {
    super.add(target);
    thread.look(target);
  }

  @Override
  public void remove(ProgressTarget target) {
    super.remove(target);
    thread.forget();
  }

  @Override
  public void changed(ProgressTarget target) {
    thread.look(target);
  }

  @Override
  public void closedChannels() {
    // The leader looks in the selector after every turn.
  }

  @Override
  public void progress() {
    // The domain's thread does it, or readers would wait for nothing.
    thread.checkRunning();
    for (ProgressTarget target : targets()) {
      target.flush();
    }
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    // The thread of the domain moves the data, or a reader that waits.
  }

  @Override
  public void await(long nanoseconds) {
    if (!thread.lead(this, nanoseconds)) {
      thread.follow();
      follower.set(Thread.currentThread());
      if (!woken) {
        LockSupport.parkNanos(this, nanoseconds);
      }
      takeFollower();
    }
    woken = false;
    // A thread that ends notes that before it wakes the readers.
    thread.checkRunning();
  }

  /** Takes the reader that parks from among those that follow; null if there is none. */
  private @Nullable Thread takeFollower() {
    Thread taken = follower.getAndSet(null);
    if (taken != null) {
      thread.followers.getAndDecrement();
    }
    return taken;
  }

  @Override
  public void wake() {
    woken = true;
    Thread taken = takeFollower();
    if (taken == null) {
      // The reader may lead.
      thread.wakeLeader();
    } else {
      LockSupport.unpark(taken);
    }
  }

  @Override
  public void roomAgain() {
    for (ProgressTarget target : targets()) {
      thread.look(target);
    }
  }

  @Override
  public void close() {
    thread.tellNoMore(this);
  }
}
