// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

/**
 * When an endpoint must be looked at though no channel is ready. Told under the lock of the
 * endpoint; asked by threads that are about to sleep, without it.
 */
public final class Due {
  private static final long NEVER = Long.MAX_VALUE;

  private final long origin = System.nanoTime();

  // Times since origin, so that one volatile says both whether and when: who sleeps must not read
  // that nothing is due while the next time is being found out.
  private volatile long due = NEVER;
  private boolean collecting;
  private long collected;

  /** The time, in nanoseconds since this object was made. */
  public long now() {
    return System.nanoTime() - origin;
  }

  /**
   * Notes a time.
   *
   * @return whether those who sleep sleep too long now
   */
  public boolean at(long time) {
    if (collecting) {
      collected = Math.min(collected, time);
      return false;
    }
    if (time >= due) {
      return false;
    }
    due = time;
    return true;
  }

  /** Nanoseconds until something is due; {@link Long#MAX_VALUE} for never. */
  public long patience() {
    long time = due;
    return time == NEVER ? NEVER : Math.max(0, time - now());
  }

  public boolean isPast() {
    long time = due;
    return time != NEVER && now() >= time;
  }

  /** From here to {@link #collect} all times that still count are noted again. */
  public void begin() {
    collecting = true;
    collected = NEVER;
  }

  /** What was noted since {@link #begin} counts. */
  public void collect() {
    collecting = false;
    due = collected;
  }
}
