// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.spi.ProgressEngine;

/**
 * A domain's own thread, which moves the data of its endpoints with automatic progress, and the
 * selector that it sleeps in. Runs as long as the domain is open.
 *
 * <p>One thread at a time leads: it sleeps in the selector and looks only at endpoints whose
 * channels are ready or that were {@linkplain #look named} since; their number costs it nothing.
 * The leader is this thread or a reader that waits, which spares a change of threads for each
 * message. When this thread has woken a reader and no other thread waits, it gives up the lead, and
 * takes it again if there was no leader for a short time. While a reader leads, others wait until
 * the leader wakes them; when it leaves them behind, this thread leads.
 *
 * <p>What goes wrong with one endpoint is that endpoint's trouble: it is looked at again after a
 * pause, and the others do not notice.
 */
public final class ProgressThread {
  private static final Logger LOG = System.getLogger(ProgressThread.class.getName());

  /** How long an endpoint rests whose data could not be moved. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  /** How long the thread gives a reader that it has woken, or that has led, to lead. */
  private static final long STAND_BY = TimeUnit.MICROSECONDS.toNanos(500);

  private final Selector selector;
  private final Thread thread;
  private final Consumer<SelectionKey> ready = this::ready;

  // Endpoints to look at, the last named first; linked through the endpoints themselves.
  private final AtomicReference<@Nullable ProgressTarget> named = new AtomicReference<>();
  private volatile boolean stopped;

  // The thread that leads, if there is one, and how many readers wait for it to wake them. A leader
  // that leaves clears the first before it checks what it leaves behind; others name an endpoint or
  // count themselves as followers before they read it.
  private final AtomicReference<@Nullable Thread> leader = new AtomicReference<>();
  final AtomicInteger followers = new AtomicInteger();

  // Whether the thread sleeps until the reader that leads wakes it.
  private volatile boolean dormant;

  // Endpoints that rest, linked as the named ones are; for the leader alone.
  private @Nullable ProgressTarget resting;
  private long restingSince;
  private boolean complained;

  // Endpoints that must be looked at when a time has come; few, and for the leader alone.
  private final List<ProgressTarget> waiting = new ArrayList<>();

  // Why the thread has ended before its time, written before those who wait are woken.
  private volatile @Nullable Throwable failure;
  private final Set<ProgressEngine> told = ConcurrentHashMap.newKeySet();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition turned = lock.newCondition();
  private final AtomicLong turns = new AtomicLong();

  public ProgressThread(String domain) {
    this(domain, NetProgress.openSelector("for automatic progress"));
  }

  public ProgressThread(String domain, Selector selector) {
    this.selector = selector;
    thread = Thread.ofPlatform().daemon().name("ofi4j-progress-" + domain).unstarted(this::run);
    thread.start();
  }

  /** Refuses what would wait for ever, because the thread has ended before its time. */
  public void checkRunning() {
    Throwable cause = failure;
    if (cause != null) {
      throw new FabricException(
          Errno.EIO,
          "automatic progress has stopped, close the domain and open it again: " + cause,
          cause);
    }
  }

  /** Has an engine woken if the thread ends before its time. */
  public void tell(ProgressEngine engine) {
    told.add(engine);
  }

  public void tellNoMore(ProgressEngine engine) {
    told.remove(engine);
  }

  /** The thread that accesses posted buffers, unless readers do. */
  public Thread thread() {
    return thread;
  }

  /** Has the leader look at an endpoint soon. */
  public void look(ProgressTarget target) {
    if (list(target)) {
      wakeLeader();
    }
  }

  /** Ends the sleep of the leader, unless it is the caller; or has this thread lead. */
  void wakeLeader() {
    Thread present = leader.get();
    if (!Thread.currentThread().equals(present)) {
      selector.wakeup();
      if (present == null) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Adds an endpoint to those to look at; false if it is among them. */
  private boolean list(ProgressTarget target) {
    if (!target.listed.compareAndSet(false, true)) {
      return false;
    }
    ProgressTarget first;
    do {
      first = named.get();
      target.nextListed = first;
    } while (!named.compareAndSet(first, target));
    return true;
  }

  /** Waits until the selector no longer holds channels that are closed. */
  public void forget() {
    lock.lock();
    try {
      // The turn that is under way may be past its last look at its channels; the next one is not.
      long enough = turns.get() + 2;
      while (turns.get() < enough && !stopped) {
        wakeLeader();
        turned.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread; there is no endpoint left. */
  public void stop() {
    stopped = true;
    wakeLeader();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try (selector) {
      while (!stopped) {
        if (leader.compareAndSet(null, thread)) {
          lead();
        }
        standBy();
      }
    } catch (IOException | RuntimeException | Error failed) {
      // It stays the leader, and readers wait until they are woken below.
      failure = failed;
      log(Level.ERROR, "automatic progress has stopped", failed);
    } finally {
      stopped = true;
      endTurn();
      told.forEach(ProgressEngine::wake);
    }
  }

  /** Leads until a reader was woken, which may lead next, and no other follows. */
  private void lead() throws IOException {
    boolean followed = false;
    lookAt(named.getAndSet(null));
    while (!stopped && (!followed || followers.get() > 0)) {
      // The JVM interrupts a thread that is in memory which is freed at that moment; a selector
      // would never wait again.
      Thread.interrupted();
      select(ProgressTarget.NEVER);
      followed = followers.get() > 0;
      lookAt(named.getAndSet(null));
    }
    leader.set(null);
  }

  /**
   * Waits until this thread is to lead. Readers that lead one after the other do not wake it: it
   * checks whether there was a turn since it last did.
   */
  private void standBy() {
    long seen = -1;
    while (leader.get() != null || (!isNeeded() && turns.get() != seen)) {
      long now = turns.get();
      dormant = now == seen;
      seen = now;
      if (!dormant || leader.get() != null) {
        LockSupport.parkNanos(this, dormant ? ProgressTarget.NEVER : STAND_BY);
      }
      dormant = false;
    }
  }

  private boolean isNeeded() {
    return stopped || named.get() != null || followers.get() > 0;
  }

  /**
   * Has a reader lead until its engine is woken, if no other thread leads. A virtual thread does
   * not lead, because a selector would hold its carrier.
   *
   * @param nanoseconds how long to lead at most
   * @return false if the reader cannot lead
   */
  boolean lead(AutomaticProgress reader, long nanoseconds) {
    Thread current = Thread.currentThread();
    if (current.isVirtual() || !leader.compareAndSet(null, current)) {
      return false;
    }
    long end = System.nanoTime() + nanoseconds;
    try {
      long left = nanoseconds;
      lookAt(named.getAndSet(null));
      while (left > 0 && !reader.woken && !current.isInterrupted()) {
        select(left);
        lookAt(named.getAndSet(null));
        left = end - System.nanoTime();
      }
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "waiting in a selector failed: " + failed, failed);
    } finally {
      leader.set(null);
      if (dormant || isNeeded()) {
        LockSupport.unpark(thread);
      }
    }
    return true;
  }

  /** Counts a reader that waits for the leader to wake it; this thread leads if no other does. */
  void follow() {
    followers.getAndIncrement();
    if (leader.get() == null) {
      LockSupport.unpark(thread);
    }
  }

  private void select(long limit) throws IOException {
    long patience = waiting.isEmpty() ? limit : Math.min(limit, patience());
    if (resting == null) {
      complained = false;
    } else {
      patience = Math.min(patience, PAUSE);
    }
    if (patience == 0 || named.get() != null) {
      selector.selectNow(ready);
    } else if (patience == ProgressTarget.NEVER) {
      selector.select(ready);
    } else {
      // Rounded up, because a selector takes 0 for a wait without end.
      selector.select(ready, TimeUnit.NANOSECONDS.toMillis(patience + 999_999));
    }
    if (resting != null && System.nanoTime() - restingSince >= PAUSE) {
      ProgressTarget rested = resting;
      resting = null;
      lookAt(rested);
    }
    endTurn();
  }

  /** How long those who wait for a time can wait; lists the ones that cannot any more. */
  private long patience() {
    long least = ProgressTarget.NEVER;
    for (int i = waiting.size() - 1; i >= 0; i--) {
      ProgressTarget target = waiting.get(i);
      long left = target.patience();
      if (left == ProgressTarget.NEVER) {
        waiting.remove(i);
      } else if (left == 0) {
        // One that rests is looked at when it has rested.
        least = list(target) ? 0 : least;
      } else {
        least = Math.min(least, left);
      }
    }
    return least;
  }

  /** Looks at an endpoint and at those that are linked to it. */
  private void lookAt(@Nullable ProgressTarget first) {
    ProgressTarget target = first;
    while (target != null) {
      ProgressTarget next = target.nextListed;
      target.nextListed = null;
      // Before looking, so that whoever names it during the look has it looked at again.
      target.listed.set(false);
      try {
        target.progress();
        target.prepare(selector);
        if (target.patience() != ProgressTarget.NEVER && !waiting.contains(target)) {
          waiting.add(target);
        }
      } catch (ClosedChannelException closedMeanwhile) {
        // Is about to be removed.
      } catch (IOException | RuntimeException | Error failed) {
        // Errors too: memory that runs out, or faults in the application's memory that the JDK
        // reports late.
        rest(target, failed);
      }
      target = next;
    }
  }

  private void rest(ProgressTarget target, Throwable failed) {
    if (!complained) {
      complained = true;
      log(Level.WARNING, "automatic progress of an endpoint failed, and is tried again", failed);
    }
    target.leave(selector);
    // Unless it has been named meanwhile: then it is looked at without a rest.
    if (target.listed.compareAndSet(false, true)) {
      if (resting == null) {
        restingSince = System.nanoTime();
      }
      target.nextListed = resting;
      resting = target;
    }
  }

  /** Logs, unless there is no memory even for that, which must not end the thread. */
  private static void log(Level level, String message, Throwable failed) {
    try {
      LOG.log(level, message, failed);
    } catch (RuntimeException | Error ignored) {
      // Nothing is left to tell it to.
    }
  }

  private void ready(SelectionKey key) {
    ProgressTarget target = ReadyKey.ready(key);
    if (target != null) {
      list(target);
    }
  }

  private void endTurn() {
    lock.lock();
    try {
      turns.getAndIncrement();
      turned.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
