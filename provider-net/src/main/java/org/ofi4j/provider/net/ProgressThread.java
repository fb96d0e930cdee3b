package org.ofi4j.provider.net;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A domain's own thread, which moves the data of its endpoints with automatic progress. It sleeps
 * in a selector and looks only at endpoints whose channels are ready or that were {@linkplain #look
 * named} since; their number costs it nothing. Starts with the first endpoint.
 */
final class ProgressThread {
  private static final Logger LOG = System.getLogger(ProgressThread.class.getName());
  private final Selector selector;
  private final Thread thread;
  private final Consumer<SelectionKey> ready = this::ready;

  // Endpoints to look at, the last named first; linked through the endpoints themselves.
  private final AtomicReference<@Nullable ProgressTarget> named = new AtomicReference<>();
  private volatile boolean stopped;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition turned = lock.newCondition();
  private long turns;

  ProgressThread(String domain) {
    try {
      selector = Selector.open();
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM, "no selector for automatic progress: " + failed, failed);
    }
    thread = Thread.ofPlatform().daemon().name("ofi4j-progress-" + domain).unstarted(this::run);
    thread.start();
  }

  /** The thread that accesses posted buffers. */
  Thread thread() {
    return thread;
  }

  /** Has the thread look at an endpoint soon. */
  void look(ProgressTarget target) {
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
  void forget() {
    lock.lock();
    try {
      // The turn that is under way may be past its last look at its channels; the next one is not.
      long enough = turns + 2;
      while (turns < enough && thread.isAlive()) {
        selector.wakeup();
        turned.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread; there is no endpoint left. */
  void stop() {
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
        lookAtNamed();
        selector.select(ready);
        endTurn();
      }
    } catch (IOException failed) {
      LOG.log(Level.ERROR, "automatic progress has stopped: its selector failed", failed);
    } finally {
      stopped = true;
      endTurn();
    }
  }

  private void lookAtNamed() {
    ProgressTarget target = named.getAndSet(null);
    while (target != null) {
      ProgressTarget next = target.nextListed;
      target.nextListed = null;
      // Before looking, so that whoever names it during the look has it looked at again.
      target.listed.set(false);
      lookAt(target);
      target = next;
    }
  }

  private void lookAt(ProgressTarget target) {
    try {
      target.progress();
      target.prepare(selector);
    } catch (ClosedChannelException closedMeanwhile) {
      // Is about to be removed.
    } catch (IOException | RuntimeException failed) {
      LOG.log(Level.WARNING, () -> "automatic progress of " + target + " failed", failed);
    }
  }

  private void ready(SelectionKey key) {
    if (key.attachment() instanceof ProgressTarget target) {
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
