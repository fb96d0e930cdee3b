// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.ofi4j.Domain;
import org.ofi4j.provider.kit.KitDomain;
import org.ofi4j.provider.libfabric.endpoint.LibfabricDomain;
import org.ofi4j.provider.libfabric.progress.LockedFabric;

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

  private static LockedFabric lock(Domain domain) {
    return ((LibfabricDomain) ((KitDomain) domain).transport()).locked();
  }
}
