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
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.queue.ProgressEngine;

/**
 * A domain's own thread, which moves the data of its endpoints with automatic progress. It sleeps
 * in a selector and looks only at endpoints whose channels are ready or that were {@linkplain #look
 * named} since; their number costs it nothing. Runs as long as the domain is open.
 *
 * <p>What goes wrong with one endpoint is that endpoint's trouble: it is looked at again after a
 * pause, and the others do not notice.
 */
public final class ProgressThread {
  private static final Logger LOG = System.getLogger(ProgressThread.class.getName());

  /** How long an endpoint rests whose data could not be moved. */
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final Selector selector;
  private final Thread thread;
  private final Consumer<SelectionKey> ready = this::ready;

  // Endpoints to look at, the last named first; linked through the endpoints themselves.
  private final AtomicReference<@Nullable ProgressTarget> named = new AtomicReference<>();
  private volatile boolean stopped;

  // Endpoints that rest, linked as the named ones are; for the thread alone.
  private @Nullable ProgressTarget resting;
  private long restingSince;
  private boolean complained;

  // Endpoints that must be looked at when a time has come; few, and for the thread alone.
  private final List<ProgressTarget> waiting = new ArrayList<>();

  // Engines whose readers are woken when the lock of the endpoint is free, linked through the
  // engines themselves; for the thread alone.
  private @Nullable AutomaticProgress toWake;

  // Why the thread has ended before its time, written before those who wait are woken.
  private volatile @Nullable Throwable failure;
  private final Set<ProgressEngine> told = ConcurrentHashMap.newKeySet();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition turned = lock.newCondition();
  private long turns;

  public ProgressThread(String domain) {
    this(domain, openSelector());
  }

  public ProgressThread(String domain, Selector selector) {
    this.selector = selector;
    thread = Thread.ofPlatform().daemon().name("ofi4j-progress-" + domain).unstarted(this::run);
    thread.start();
  }

  private static Selector openSelector() {
    try {
      return Selector.open();
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM, "no selector for automatic progress: " + failed, failed);
    }
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

  /** The thread that accesses posted buffers. */
  public Thread thread() {
    return thread;
  }

  /** Has the thread look at an endpoint soon. */
  public void look(ProgressTarget target) {
    if (list(target)) {
      selector.wakeup();
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
      long enough = turns + 2;
      while (turns < enough && !stopped) {
        selector.wakeup();
        turned.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread; there is no endpoint left. */
  public void stop() {
    stopped = true;
    selector.wakeup();
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
        turn();
      }
    } catch (IOException | RuntimeException | Error failed) {
      failure = failed;
      log(Level.ERROR, "automatic progress has stopped", failed);
    } finally {
      stopped = true;
      endTurn();
      told.forEach(ProgressEngine::wake);
      wakeReaders();
    }
  }

  private void turn() throws IOException {
    // The JVM interrupts a thread that is in memory which is freed at that moment; a selector would
    // never wait again.
    Thread.interrupted();
    lookAt(named.getAndSet(null));
    long patience = waiting.isEmpty() ? ProgressTarget.NEVER : patience();
    if (resting == null) {
      complained = false;
    } else {
      patience = Math.min(patience, PAUSE);
    }
    if (patience == ProgressTarget.NEVER) {
      selector.select(ready);
    } else if (patience == 0) {
      selector.selectNow(ready);
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

  /**
   * Wakes the readers of a queue when the endpoint that is looked at has given back its lock, which
   * they need next.
   *
   * @return false if another thread than this one calls
   */
  boolean wakeLater(AutomaticProgress engine) {
    if (!Thread.currentThread().equals(thread)) {
      return false;
    }
    if (!engine.isToWake) {
      engine.isToWake = true;
      engine.nextToWake = toWake;
      toWake = engine;
    }
    return true;
  }

  private void wakeReaders() {
    while (toWake != null) {
      AutomaticProgress engine = toWake;
      toWake = engine.nextToWake;
      engine.nextToWake = null;
      engine.isToWake = false;
      engine.wakeSleeper();
    }
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
      } finally {
        wakeReaders();
      }
      target = next;
    }
  }

  private void rest(ProgressTarget target, Throwable failed) {
    if (!complained) {
      complained = true;
      log(Level.WARNING, "automatic progress of an endpoint failed, and is tried again", failed);
    }
    target.rest(selector);
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
      turns++;
      turned.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
