// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Wakeups;
import org.ofi4j.provider.libfabric.library.NativeFabric;

/**
 * A fabric of libfabric, and the lock under which its calls are made: libfabric is told that they
 * are made one at a time ({@code FI_THREAD_DOMAIN}), and leaves its own locks out. A thread may
 * take the lock several times. Threads that wait for completions are woken after it has given it
 * back, because that may run code of the application.
 *
 * <p>If the application promises to make one call at a time ({@link org.ofi4j.Threading#DOMAIN}),
 * there is no lock, and the thread that is inside is only noted. A second thread that is seen then
 * gets an exception; threads that break the promise may also go unseen.
 */
public final class LockedFabric {
  /** The lock while a thread has it: closing it releases the lock. */
  public interface Held extends AutoCloseable {
    @Override
    void close();
  }

  private final NativeFabric fabric;
  private final @Nullable ReentrantLock lock;

  private final Wakeups wakeups = new Wakeups(this::giveBack);
  private final Held held = this::unlock;

  // For fabrics without a lock.
  private @Nullable Thread owner;
  private int depth;

  /**
   * Creates the lock of a fabric.
   *
   * @param fabric the fabric
   * @param onePromised whether the application makes one call at a time
   */
  public LockedFabric(NativeFabric fabric, boolean onePromised) {
    this.fabric = fabric;
    lock = onePromised ? null : new ReentrantLock();
  }

  /** Returns the fabric. */
  public NativeFabric fabric() {
    return fabric;
  }

  /** Takes the lock; {@link #unlock} releases it, or closing the result. */
  public Held lock() {
    if (lock != null) {
      lock.lock();
    } else {
      enter();
    }
    return held;
  }

  /** Takes the lock unless another thread has it; returns whether it was taken. */
  public boolean tryLock() {
    if (lock != null) {
      return lock.tryLock();
    }
    enter();
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
  private void enter() {
    Thread caller = Thread.currentThread();
    Thread inside = owner;
    if (inside == null) {
      owner = caller;
    } else if (inside != caller) {
      throw invalid(
          caller
              + " uses a domain while "
              + inside
              + " does: it was opened with Threading.DOMAIN, for one call at a time");
    }
    depth++;
  }

  /** Releases the lock, and wakes threads that wait for completions if it is free then. */
  public void unlock() {
    if (wakeups.isEmpty() || (lock == null ? depth : lock.getHoldCount()) > 1) {
      giveBack();
    } else {
      wakeups.releaseAndWake();
    }
  }

  private void giveBack() {
    if (lock != null) {
      lock.unlock();
    } else if (--depth == 0) {
      owner = null;
    }
  }

  /**
   * Has threads woken after the lock was released under which completions are reported.
   *
   * @param reported the completions of one direction of an endpoint; null for none
   */
  public void wakeAfterwards(@Nullable Completions reported) {
    if (reported != null) {
      reported.wakeThrough(wakeups);
    }
  }
}
