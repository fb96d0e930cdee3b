// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives peers time to read that an endpoint is there before it is closed, where that is the first
 * they hear of it: with provider {@code shm} before 2.0, a process ends with SIGSEGV that reads so
 * of an endpoint which is gone. Who does not read for so long may still do that.
 */
final class Farewell {
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PAUSE = TimeUnit.MICROSECONDS.toNanos(50);

  private Farewell() {}

  /**
   * Waits until libfabric has taken what waited for peers that it knows, or time is up.
   *
   * @param move moves the data of the endpoint
   */
  static void say(DomainResources domain, Backlog backlog, Runnable move) {
    long end = System.nanoTime() + PATIENCE;
    while (domain.hasRegions()
        && domain.library().isBefore(2, 0)
        && waitsForKnownPeers(domain, backlog)
        && System.nanoTime() - end < 0) {
      move.run();
      LockSupport.parkNanos(domain, PAUSE);
    }
  }

  private static boolean waitsForKnownPeers(DomainResources domain, Backlog backlog) {
    domain.lock().lock();
    try {
      return backlog.hasKnownPeers();
    } finally {
      domain.lock().unlock();
    }
  }
}
