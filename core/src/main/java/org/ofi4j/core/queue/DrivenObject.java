// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;

/**
 * An object of a domain whose readers wait for what a {@link ProgressEngine} brings. Of the threads
 * that wait, one at a time sleeps in the engine; the others stand in line for the turn to sleep.
 *
 * <p>A thread counts itself as waiting before it looks for what it waits for; a thread that brings
 * something looks for waiting threads afterwards. So one of them sees the other.
 */
abstract class DrivenObject extends CoreObject {
  private final Domain domain;
  final ProgressEngine engine;
  private final AtomicInteger waiting = new AtomicInteger();

  /** Guards {@link #sleeping}, and is notified when the sleeper leaves. */
  private final Object line = new Object();

  private boolean sleeping;

  /**
   * An object that is open from now on.
   *
   * @param domainLifetime keeps the domain open as long as this object is
   * @param engine moves the data of endpoints bound to the object; closed with the object
   */
  DrivenObject(
      Domain domain, Lifetime domainLifetime, @Nullable Object context, ProgressEngine engine) {
    super(context);
    this.domain = domain;
    this.engine = engine;
    lifetime.hold(domainLifetime);
  }

  /** Returns the domain of the object. */
  public final Domain domain() {
    return domain;
  }

  /** Returns the engine that moves the data, as passed to the constructor. */
  public final ProgressEngine engine() {
    return engine;
  }

  /** Ends the sleep of the thread that has the turn, if threads wait. */
  final void wake() {
    if (waiting.get() > 0) {
      engine.wake();
    }
  }

  /**
   * Waits for something to look at.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @param mustWait whether there is nothing to find yet
   * @return false if it is time to give up
   */
  final boolean waitUntil(long deadline, BooleanSupplier mustWait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (!isOpen() || deadline - System.nanoTime() <= 0) {
      return false;
    }
    waiting.getAndIncrement();
    try {
      if (takeTurn(deadline, mustWait)) {
        sleep(deadline, mustWait);
      }
    } finally {
      waiting.getAndDecrement();
    }
    return isOpen();
  }

  private boolean takeTurn(long deadline, BooleanSupplier mustWait) throws InterruptedException {
    synchronized (line) {
      while (sleeping) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || !isOpen() || !mustWait.getAsBoolean()) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(line, left);
      }
      sleeping = true;
      return true;
    }
  }

  private void sleep(long deadline, BooleanSupplier mustWait) {
    try {
      long left = deadline - System.nanoTime();
      if (isOpen() && left > 0 && mustWait.getAsBoolean()) {
        engine.await(left);
      }
    } finally {
      synchronized (line) {
        sleeping = false;
        passOn(line);
      }
    }
  }

  /** Lets the next thread in line have the turn to sleep. */
  void passOn(Object next) {
    next.notify();
  }

  /** Closes the engine, which outlives the last sleeper. */
  @Override
  protected void release() {
    synchronized (line) {
      line.notifyAll();
      Waiting.uninterrupted(() -> {
        while (sleeping) {
          engine.wake();
          line.wait();
        }
        return true;
      });
    }
    engine.close();
  }
}
