// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends heartbeats for endpoints with manual progress, whose application may compute for long and
 * yet live: one thread of the JVM, as long as there are such endpoints with connections.
 */
final class HeartbeatThread {
  private static final long IDLE_SECONDS = 2;

  private static final ScheduledThreadPoolExecutor THREAD = thread();

  private HeartbeatThread() {}

  private static ScheduledThreadPoolExecutor thread() {
    ScheduledThreadPoolExecutor made =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("ofi4j-heartbeats").factory());
    made.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    made.allowCoreThreadTimeOut(true);
    made.setRemoveOnCancelPolicy(true);
    return made;
  }

  /**
   * Sends heartbeats again and again.
   *
   * @param nanoseconds from one time to the next
   * @return ends that when it is cancelled
   */
  static ScheduledFuture<?> every(long nanoseconds, Runnable beat) {
    return THREAD.scheduleWithFixedDelay(
        () -> run(beat), nanoseconds, nanoseconds, TimeUnit.NANOSECONDS);
  }

  private static void run(Runnable beat) {
    try {
      beat.run();
    } catch (RuntimeException | Error failed) {
      // As a rule there is no memory, and there may be the next time. Thrown, it would be the last.
    }
  }
}
