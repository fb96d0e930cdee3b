// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;

/** The time for which the closing of an endpoint waits for what libfabric cannot break off. */
final class CloseGracePeriod {
  private static final long MESSAGES = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long REQUESTS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  private CloseGracePeriod() {}

  /**
   * Waits while peers have requests to connect to read, for {@link #REQUESTS} at most. Another
   * process that does not read for so long may end when it reads.
   *
   * @param region the region of the endpoint
   * @param move moves the data of the endpoint
   */
  static void awaitRequests(DomainResources domain, EndpointRegion region, Runnable move) {
    await(domain, region::awaitsRequests, move, REQUESTS);
  }

  /**
   * Waits while messages are pending, for {@link #MESSAGES} at most.
   *
   * @param pending asked with the lock of the domain held
   * @param move moves data; called without the lock
   * @return false if messages are still pending
   */
  static boolean awaitMessages(DomainResources domain, BooleanSupplier pending, Runnable move) {
    return await(domain, pending, move, MESSAGES);
  }

  private static boolean await(
      DomainResources domain, BooleanSupplier pending, Runnable move, long nanoseconds) {
    long begun = System.nanoTime();
    while (isPending(domain, pending)) {
      if (System.nanoTime() - begun > nanoseconds) {
        return false;
      }
      move.run();
      LockSupport.parkNanos(domain, PAUSE);
    }
    return true;
  }

  private static boolean isPending(DomainResources domain, BooleanSupplier pending) {
    domain.lock().lock();
    try {
      return pending.getAsBoolean();
    } finally {
      domain.lock().unlock();
    }
  }
}
