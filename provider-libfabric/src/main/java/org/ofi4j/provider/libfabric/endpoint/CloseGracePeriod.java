// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.ofi4j.provider.libfabric.shm.EndpointRegion;
import org.ofi4j.provider.libfabric.shm.SharedRegions;

/** The time for which the closing of an endpoint waits for what libfabric cannot break off. */
final class CloseGracePeriod {
  private static final long MESSAGES = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long REQUESTS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  private CloseGracePeriod() {}

  /**
   * Gives peers time to read requests to connect, with provider {@code shm} before 2.0: a process
   * that reads a request of an endpoint which is gone ends with SIGSEGV. Endpoints of this process
   * may be read by the thread that waits here, so that thread has them read the requests. Another
   * process that does not read for so long may still end.
   *
   * @param region the region of the endpoint
   * @param move moves the data of the endpoint
   */
  static void awaitRequests(DomainResources domain, EndpointRegion region, Runnable move) {
    long begun = System.nanoTime();
    List<Path> unread = unreadRequests(domain, region);
    while (!unread.isEmpty() && System.nanoTime() - begun <= REQUESTS) {
      unread.forEach(SharedRegions::progress);
      move.run();
      LockSupport.parkNanos(domain, PAUSE);
      unread = unreadRequests(domain, region);
    }
  }

  private static List<Path> unreadRequests(DomainResources domain, EndpointRegion region) {
    domain.lock().lock();
    try {
      return region.unreadRequests();
    } finally {
      domain.lock().unlock();
    }
  }

  /**
   * Waits while messages are pending, for {@link #MESSAGES} at most.
   *
   * @param pending asked with the lock of the domain held
   * @param move moves data; called without the lock
   * @return false if messages are still pending
   */
  static boolean awaitMessages(DomainResources domain, BooleanSupplier pending, Runnable move) {
    long begun = System.nanoTime();
    while (isPending(domain, pending)) {
      if (System.nanoTime() - begun > MESSAGES) {
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
