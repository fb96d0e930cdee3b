// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The time for which the closing of an endpoint waits for what libfabric cannot break off. */
final class CloseGracePeriod {
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  private CloseGracePeriod() {}

  /**
   * Gives peers time to read that an endpoint is there, where that is the first they hear of it:
   * with provider {@code shm} before 2.0, a process ends with SIGSEGV that reads so of an endpoint
   * which is gone. A process that does not read for so long may still end.
   *
   * @param move moves the data of the endpoint
   */
  static void awaitKnownPeers(DomainResources domain, Backlog backlog, Runnable move) {
    if (domain.hasRegions() && domain.library().isBefore(2, 0)) {
      await(domain, backlog::hasKnownPeers, move);
    }
  }

  /**
   * Waits while something is pending.
   *
   * @param pending asked with the lock of the domain held
   * @param move moves data; called without the lock
   * @return false if it is pending still
   */
  static boolean await(DomainResources domain, BooleanSupplier pending, Runnable move) {
    long begun = System.nanoTime();
    while (isPending(domain, pending)) {
      if (System.nanoTime() - begun > PATIENCE) {
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
