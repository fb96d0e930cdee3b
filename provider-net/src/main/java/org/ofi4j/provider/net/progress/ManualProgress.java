// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Manual progress: the threads that read a completion queue move the data of its endpoints. The one
 * that has nothing to read sleeps in a selector over their channels, which is opened for the first
 * sleeper; reading without waiting never touches it.
 */
public final class ManualProgress implements NetProgress {
  /** Between reads that make progress though they need none, in nanoseconds. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  private final LongSupplier clock;
  private final Targets targets = new Targets();

  // When a read that needs no progress makes some all the same.
  private volatile long due;

  // Guards sleeping, sleeps and the selector's opening; never held while a thread sleeps.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition awake = lock.newCondition();
  private boolean sleeping;
  private long sleeps;
  private volatile @Nullable Selector selector;

  // Written before the selector is read by those who wake; the sleeper does it the other way round.
  private volatile boolean woken;

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
  }

  @Override
  public void add(ProgressTarget target) {
    targets.add(target);
    wake();
  }

  @Override
  public void remove(ProgressTarget target) {
    targets.remove(target);
    awaitSleep();
    Selector present = selector;
    if (present != null && present.isOpen()) {
      // One that stays, and is moved by others from now on, would wake those who sleep for ever.
      target.leave(present);
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
      Selector present = selector;
      if (!sleeping && present != null) {
        present.selectNow(key -> {});
      }
    } catch (IOException | ClosedSelectorException closedMeanwhile) {
      // A closed selector holds no channel.
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void changed(ProgressTarget target) {
    wake();
  }

  @Override
  public void closedChannels() {
    Selector present = selector;
    if (present == null) {
      return;
    }
    if (!lock.tryLock()) {
      // Whoever has it goes to sleep or wakes up: the selector is looked at.
      present.wakeup();
      return;
    }
    try {
      if (sleeping) {
        present.wakeup();
      } else {
        present.selectNow(key -> {});
      }
    } catch (IOException | ClosedSelectorException closedMeanwhile) {
      // A closed selector holds no channel.
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void progress() {
    for (ProgressTarget target : targets.all()) {
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

  @Override
  public void await(long nanoseconds) {
    Selector present = beginSleep();
    try {
      if (woken) {
        return;
      }
      long patience = nanoseconds;
      for (ProgressTarget target : targets.all()) {
        try {
          target.prepare(present);
          patience = Math.min(patience, target.patience());
        } catch (ClosedChannelException closedMeanwhile) {
          // Is about to be removed.
        }
      }
      if (patience > 0) {
        present.select(key -> {}, milliseconds(patience));
      }
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "waiting in a selector failed: " + failed, failed);
    } catch (ClosedSelectorException closedMeanwhile) {
      // The queue is being closed; the reader looks for that next.
    } finally {
      woken = false;
      endSleep();
    }
  }

  private Selector beginSleep() {
    lock.lock();
    try {
      Selector present = selector;
      if (present == null) {
        present = Selector.open();
        selector = present;
      }
      sleeping = true;
      return present;
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector to wait in: " + failed + "; raise the limit of open files",
          failed);
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
      Selector present = selector;
      if (present != null) {
        present.wakeup();
      }
    }
  }

  @Override
  public void roomAgain() {
    // A sleeper does not wait for channels whose data had no room, and need not be one of this
    // queue's: an endpoint may report its sends here and its receives to another queue.
    for (ProgressTarget target : targets.all()) {
      target.changed();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      Selector present = selector;
      if (present != null) {
        present.close();
      }
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a selector failed: " + failed, failed);
    } finally {
      lock.unlock();
    }
  }
}
