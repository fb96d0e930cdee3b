// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import java.util.Set;

/**
 * Fabrics over TCP, whose reliable endpoints disturb each other on one libfabric domain. All
 * releases keep the connections of all endpoints, and tagged messages that come before their
 * receive, in a list of the domain. Connections of a closed endpoint are kept there too, and the
 * next read of any queue of the domain accesses freed memory. A tagged receive takes an early
 * message that was sent to another endpoint.
 */
public final class EndpointIsolation {
  private static final Set<String> FAULTY = Set.of("net", "tcp", "net;ofi_rxm", "tcp;ofi_rxm");

  private EndpointIsolation() {}

  /**
   * Returns whether each reliable endpoint of a provider needs a libfabric domain of its own.
   *
   * @param provider the name that libfabric has for it
   */
  public static boolean isNeeded(String provider) {
    return FAULTY.contains(provider);
  }
}
