// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.ofi4j.core.object.Misuse.required;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is left of a timeout, which begins now; a negative one has no end. For any thread. */
final class Deadline {
  private final long start = System.nanoTime();
  private final long nanoseconds;

  Deadline(@Nullable Duration timeout) {
    Duration given = required(timeout, "timeout");
    nanoseconds = given.isNegative() ? Long.MAX_VALUE : TimeUnit.NANOSECONDS.convert(given);
  }

  /** What is left; always positive if the wait is without end. */
  long left() {
    return nanoseconds == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : nanoseconds - (System.nanoTime() - start);
  }
}
