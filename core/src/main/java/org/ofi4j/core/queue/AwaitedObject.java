// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.spi.ProgressEngine;

/**
 * An object whose readers wait. Of the threads that wait, one at a time sleeps in a {@link
 * ProgressEngine}, if there is one; the others stand in line for the turn to sleep.
 *
 * <p>A thread counts itself as waiting before it looks for what it waits for; a thread that brings
 * something looks for waiting threads afterwards. So one of them sees the other.
 */
abstract class AwaitedObject extends CoreObject {
  /**
   * Its monitor is where threads stand in line, and is notified when the sleeper leaves. Unlike a
   * Lock, it is taken and waited for without memory.
   */
  final Object line = new Object();

  /** The number of threads that wait. */
  final AtomicInteger waiting = new AtomicInteger();

  /** Whether a thread has the turn to sleep; guarded by the line. */
  private boolean sleeping;

  /**
   * An object that is open from now on.
   *
   * @param parent keeps the object that this one belongs to open as long as this one is
   */
  AwaitedObject(Lifetime parent, @Nullable Object context) {
    super(context);
    lifetime.hold(parent);
  }

  /** Returns the engine to sleep in, closed with the object; null if there is none yet. */
  abstract @Nullable ProgressEngine engine();

  /** Ends the sleep of the thread that has the turn, if threads wait. */
  final void wake() {
    if (waiting.get() > 0) {
      ProgressEngine present = engine();
      if (present != null) {
        present.wake();
      }
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
      ProgressEngine turn = takeTurn(deadline, mustWait);
      if (turn != null) {
        sleep(turn, deadline, mustWait);
      }
    } finally {
      waiting.getAndDecrement();
    }
    return isOpen();
  }

  /** Returns the engine to sleep in once no other thread does; null if there is no need. */
  private @Nullable ProgressEngine takeTurn(long deadline, BooleanSupplier mustWait)
      throws InterruptedException {
    synchronized (line) {
      while (sleeping || engine() == null) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || !isOpen() || !mustWait.getAsBoolean()) {
          return null;
        }
        TimeUnit.NANOSECONDS.timedWait(line, left);
      }
      sleeping = true;
      return engine();
    }
  }

  private void sleep(ProgressEngine in, long deadline, BooleanSupplier mustWait) {
    try {
      long left = deadline - System.nanoTime();
      if (isOpen() && left > 0 && mustWait.getAsBoolean()) {
        in.await(left);
      }
    } finally {
      synchronized (line) {
        sleeping = false;
        passOn();
      }
    }
  }

  /**
   * Lets the next thread in line have the turn to sleep; the caller has the monitor of the line.
   */
  void passOn() {
    line.notify();
  }

  /** Closes the engine, which outlives the last sleeper. */
  @Override
  protected void release() {
    synchronized (line) {
      line.notifyAll();
      Waiting.uninterrupted(() -> {
        while (sleeping) {
          wake();
          line.wait();
        }
        return true;
      });
    }
    ProgressEngine present = engine();
    if (present != null) {
      present.close();
    }
  }
}
