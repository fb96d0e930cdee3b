// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

/**
 * Consecutive ports on consecutive addresses, all ports of one address before the next address
 * (AV-117). Every one of them is an address: none lies beyond the last port, nor beyond the last
 * address that differs in the low 64 bits.
 *
 * @param ipv6 whether the addresses are IPv6
 * @param high the first eight bytes of an IPv6 address, else 0
 * @param low the last eight bytes of the first IPv6 address, or the first IPv4 address
 * @param scope of all IPv6 addresses, else 0
 * @param port the first port
 * @param nodes how many addresses
 * @param services how many ports on each
 */
public record AddressRange(
    boolean ipv6, long high, long low, int scope, int port, int nodes, int services) {

  /** Refuses what is no such range. */
  public AddressRange {
    long lastPort = (long) port + services - 1;
    long lastLow = low + Math.max(nodes, 1) - 1;
    boolean beyond = ipv6 ? Long.compareUnsigned(lastLow, low) < 0 : lastLow >>> 32 != 0;
    if (nodes < 0 || services < 0 || port < 0 || lastPort > 0xFFFF || beyond) {
      throw new IllegalArgumentException(
          nodes + " nodes with ports " + port + " to " + lastPort + " from " + low);
    }
    Math.multiplyExact(nodes, services);
  }

  public int count() {
    return nodes * services;
  }
}
