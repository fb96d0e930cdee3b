// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Waits for other threads, for a while; who is interrupted goes on waiting, and stays interrupted.
 */
public final class Waiting {
  /** Waiting for so long is waiting for ever, and nothing overflows. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

  private Waiting() {}

  /** When any time that begins now will be over, in {@link System#nanoTime}. */
  public static long deadline(Duration timeout) {
    return System.nanoTime() + nanoseconds(timeout);
  }

  /** Returns any time in nanoseconds; a deadline that is so far from now does not overflow. */
  public static long nanoseconds(Duration timeout) {
    Duration shorter = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
    return shorter.isNegative() ? 0 : shorter.toNanos();
  }

  /**
   * When a time that begins now will be over, in {@link System#nanoTime}; a negative time never is.
   *
   * @throws FabricException with {@link Errno#EINVAL} if there is no time
   */
  public static long deadlineIfAny(@Nullable Duration timeout) {
    Duration given = Misuse.required(timeout, "timeout");
    return deadline(given.isNegative() ? LONGEST : given);
  }

  /**
   * Waits for a lock, and takes it; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @return false if others had it for all that time
   */
  public static boolean lock(ReentrantLock lock, long deadline) {
    if (lock.tryLock()) {
      return true;
    }
    return uninterrupted(() -> lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
  }

  /** What is waited for; begins again if the thread was interrupted. */
  public interface Wait<T, E extends Exception> {
    T end() throws InterruptedException, E;
  }

  /** Waits as long as it takes. */
  public static <T, E extends Exception> T uninterrupted(Wait<T, E> wait) throws E {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.end();
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
