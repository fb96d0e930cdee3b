// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.Domain;
import org.ofi4j.provider.libfabric.endpoint.DomainResources;

/**
 * Keeps all threads of a process out of libfabric, by taking the locks of its domains. A process
 * that is killed then leaves no lock taken in memory that it shares with others.
 */
final class StressPause {
  /** Begins the pause, which lasts until the process ends. */
  void begin(List<StressSession> sessions) {
    for (StressSession each : sessions) {
      each.forbidOpening();
      Domain domain = each.domain();
      if (domain != null) {
        lock(domain).lock();
      }
    }
  }

  private static ReentrantLock lock(Domain domain) {
    try {
      Method lock = DomainResources.class.getDeclaredMethod("lock");
      lock.setAccessible(true);
      return (ReentrantLock) lock.invoke(((LibfabricDomain) domain).resources());
    } catch (ReflectiveOperationException changed) {
      throw new LinkageError("the lock of a domain", changed);
    }
  }
}
