// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;

/** When a call has to be over. */
final class Deadline {
  /** Longer than anybody waits, and not so long that the sum overflows. */
  private static final Duration MOST = Duration.ofNanos(Long.MAX_VALUE / 4);

  private final long at;

  private Deadline(long at) {
    this.at = at;
  }

  static Deadline in(Duration time) {
    Duration some = time.isNegative() ? Duration.ZERO : time;
    Duration bounded = some.compareTo(MOST) > 0 ? MOST : some;
    return new Deadline(System.nanoTime() + bounded.toNanos());
  }

  /** What is left of the time, at least nothing. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, at - System.nanoTime()));
  }
}
