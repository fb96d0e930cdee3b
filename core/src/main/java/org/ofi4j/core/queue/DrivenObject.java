// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;

/**
 * An object of a domain whose readers wait for what a {@link ProgressEngine} brings. Of the threads
 * that wait, one at a time sleeps in the engine.
 *
 * <p>A thread counts itself as {@link #waiting} before it looks for what it waits for; a thread
 * that brings something looks for waiting threads afterwards. So one of them sees the other.
 */
abstract class DrivenObject extends CoreObject {
  private final Domain domain;
  final ProgressEngine engine;
  final AtomicInteger waiting = new AtomicInteger();
  final ReentrantLock turnToSleep = new ReentrantLock();

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

  /**
   * Sleeps in the engine, and gives the turn to another thread. The calling thread has the turn.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @param mustSleep whether there is nothing to find yet
   */
  final void sleep(long deadline, BooleanSupplier mustSleep) {
    try {
      long left = deadline - System.nanoTime();
      if (isOpen() && left > 0 && mustSleep.getAsBoolean()) {
        engine.await(left);
      }
    } finally {
      turnToSleep.unlock();
    }
  }

  /** Closes the engine; the subclass has woken the threads that wait. */
  @Override
  protected void release() {
    // Sleepers leave one after the other, each passing the turn on; the engine outlives the last.
    turnToSleep.lock();
    try {
      engine.close();
    } finally {
      turnToSleep.unlock();
    }
  }
}
