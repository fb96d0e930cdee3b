// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Manual progress: the threads that read a completion queue move the data of its endpoints. The one
 * that has nothing to read sleeps in a selector over their channels; reading without waiting never
 * touches it. The selector is opened with the queue: a reader that waits when the process has no
 * descriptor left could not open one, and would return at once, over and over.
 */
public final class ManualProgress extends NetProgress {
  /** Between reads that make progress though they need none, in nanoseconds. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  /** How long shared memory is watched before a thread sleeps; not if it would watch alone. */
  private static final long WATCH =
      Runtime.getRuntime().availableProcessors() > 1 ? TimeUnit.MICROSECONDS.toNanos(30) : 0;

  private final LongSupplier clock;

  // When a read that needs no progress makes some all the same.
  private volatile long due;

  // Guards sleeping and sleeps; never held while a thread sleeps.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition awake = lock.newCondition();
  private boolean sleeping;
  private long sleeps;
  private final Selector selector;

  // One object, so that waiting makes no garbage.
  private final Consumer<SelectionKey> ready = ReadyKey::ready;

  // A thread that wakes writes this before it wakes the selector; the sleeper reads it afterwards.
  private volatile boolean woken;

  /**
   * Moves nothing yet.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if the process has no descriptor left
   */
  public ManualProgress() {
    this(System::nanoTime);
  }

  /**
   * Moves nothing yet.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  ManualProgress(LongSupplier clock) {
    this.clock = clock;
    due = clock.getAsLong();
    selector = openSelector("to wait in");
  }

  @Override
  public void add(ProgressTarget target) {
    super.add(target);
    wake();
  }

  @Override
  public void remove(ProgressTarget target) {
    super.remove(target);
    awaitSleep();
    if (selector.isOpen()) {
      // One that stays, and is moved by others from now on, would wake those who sleep for ever.
      target.leave(selector);
      closedChannels();
    }
  }

  /** Waits until nobody sleeps who looked after another one before. */
  private void awaitSleep() {
    lock.lock();
    try {
      // The sleep that is under way may have looked at its channels for the last time already; the
      // one after it has not.
      long enough = sleeps + 2;
      while (sleeping && sleeps < enough) {
        wake();
        awake.awaitUninterruptibly();
      }
      letGo();
    } finally {
      lock.unlock();
    }
  }

  /** Has the selector let go of closed channels; called with the lock held. */
  private void letGo() {
    try {
      if (sleeping) {
        selector.wakeup();
      } else {
        selector.selectNow(key -> {});
      }
    } catch (IOException | ClosedSelectorException closedMeanwhile) {
      // A closed selector holds no channel.
    }
  }

  @Override
  public void changed(ProgressTarget target) {
    wake();
  }

  @Override
  public void closedChannels() {
    if (!lock.tryLock()) {
      // Whoever has it goes to sleep or wakes up: the selector is looked at.
      selector.wakeup();
      return;
    }
    try {
      letGo();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void progress() {
    for (ProgressTarget target : targets()) {
      target.progress();
    }
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    long now = clock.getAsLong();
    if (atOnce || now - due >= 0) {
      due = now + DUE;
      progress();
    }
  }

  /**
   * Leaves it to the wait if there is one, as the selector says at once what is ready; but not for
   * long, as the time of a reader may be up before it waits.
   */
  @Override
  public void progress(boolean waits) {
    if (waits) {
      progressIfDue(false);
    } else {
      progress();
    }
  }

  /**
   * Watches shared memory for a moment, as a peer that answers at once does so sooner than a thread
   * falls asleep and wakes.
   *
   * @return whether there is something to do
   */
  private boolean watch(long nanoseconds) {
    boolean isWatched = false;
    for (ProgressTarget target : targets()) {
      isWatched |= target.isWatched();
    }
    if (isWatched) {
      long end = clock.getAsLong() + Math.min(nanoseconds, WATCH);
      do {
        for (ProgressTarget target : targets()) {
          if (target.hasArrived()) {
            return true;
          }
        }
        Thread.onSpinWait();
      } while (!woken && clock.getAsLong() - end < 0);
    }
    return false;
  }

  @Override
  public void await(long nanoseconds) {
    if (watch(nanoseconds)) {
      return;
    }
    beginSleep();
    ProgressTarget[] all = targets();
    int prepared = 0;
    try {
      if (woken) {
        return;
      }
      long patience = nanoseconds;
      while (prepared < all.length) {
        ProgressTarget target = all[prepared++];
        try {
          target.prepare(selector);
          patience = Math.min(patience, target.patience());
        } catch (ClosedChannelException closedMeanwhile) {
          // Is about to be removed.
        }
      }
      if (patience > 0) {
        selector.select(ready, milliseconds(patience));
      }
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "waiting in a selector failed: " + failed, failed);
    } catch (ClosedSelectorException closedMeanwhile) {
      // The queue is being closed; the reader looks for that next.
    } finally {
      for (int i = 0; i < prepared; i++) {
        all[i].awake();
      }
      woken = false;
      // The reader makes progress next.
      due = clock.getAsLong() + DUE;
      endSleep();
    }
  }

  private void beginSleep() {
    lock.lock();
    try {
      sleeping = true;
    } finally {
      lock.unlock();
    }
  }

  private void endSleep() {
    lock.lock();
    try {
      sleeping = false;
      sleeps++;
      awake.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Rounded up, because a selector takes 0 for a wait without end. */
  private static long milliseconds(long nanoseconds) {
    long whole = TimeUnit.NANOSECONDS.toMillis(nanoseconds);
    return whole * 1_000_000 == nanoseconds ? Math.max(whole, 1) : whole + 1;
  }

  @Override
  public void wake() {
    if (!woken) {
      woken = true;
      selector.wakeup();
    }
  }

  @Override
  public void roomAgain() {
    // A sleeper does not wait for channels whose data had no room, and need not be one of this
    // queue's: an endpoint may report its sends here and its receives to another queue.
    for (ProgressTarget target : targets()) {
      target.changed();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      selector.close();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a selector failed: " + failed, failed);
    } finally {
      lock.unlock();
    }
  }
}
