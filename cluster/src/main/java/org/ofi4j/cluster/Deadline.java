// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;

/** When a call has to be over. */
final class Deadline {
  private final long at;

  private Deadline(long at) {
    this.at = at;
  }

  static Deadline in(Duration time) {
    // Longer than anybody waits, and not so long that the sum overflows.
    long most = Long.MAX_VALUE / 4;
    boolean isLong = time.compareTo(Duration.ofNanos(most)) > 0;
    return new Deadline(System.nanoTime() + (isLong ? most : time.toNanos()));
  }

  /** What is left of the time, at least nothing. */
  Duration left() {
    return Duration.ofNanos(Math.max(0, at - System.nanoTime()));
  }
}
