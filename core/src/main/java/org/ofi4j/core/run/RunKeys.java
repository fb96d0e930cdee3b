// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.address.AddressKey;

/**
 * Keys under which runs are found by address:
 *
 * <pre>
 *   63  62     61        60 .... 48   47 .............. 32   31 .......... 0
 *    0 | IPv6 | by port | network   | port                 | node
 *    0 | IPv6 | 0       | network   | node (32), port (16)
 * </pre>
 *
 * <p>Many nodes with few ports are found by port, by one interval of keys for each port; all other
 * runs by address, by one interval. So addresses that a run does not have seldom lie between those
 * that it has. {@code network} is a keyed hash of the first 96 bits of an IPv6 address and its
 * scope. Keys only say where to look; the formula of the run is compared.
 *
 * @param seed of the hash
 */
record RunKeys(long seed) {
  /** A run with more ports is found by address. */
  private static final int MOST_PORTS = 16;

  /** How many nodes there must be for each port, if a run is to be found by port. */
  private static final int NODES_TO_PORTS = 4;

  private static final int MANY_PORTS = 64;

  private static final long IPV6 = 1L << 62;
  private static final long BY_PORT = 1L << 61;
  private static final int NETWORK_SHIFT = 48;
  private static final int NETWORK_BITS = 13;

  /** Takes intervals of keys. */
  @FunctionalInterface
  interface Intervals {
    /** An interval from its first key to its last one. */
    void interval(long first, long last);
  }

  /** What all keys of a network have in common; 0 for IPv4. */
  long network(boolean ipv6, long high, long low, int scope) {
    if (!ipv6) {
      return 0;
    }
    long upper = AddressKey.hashIpv4(high, seed) + (low >>> Integer.SIZE);
    long hash = AddressKey.hashIpv4(upper ^ (long) scope << Integer.SIZE, seed);
    return IPV6 | hash >>> (Long.SIZE - NETWORK_BITS) << NETWORK_SHIFT;
  }

  static long byPort(long network, long node, long port) {
    return network | BY_PORT | port << Integer.SIZE | (node & RunShape.NODE_MASK);
  }

  static long byAddress(long network, long node, long port) {
    return network | (node & RunShape.NODE_MASK) << Short.SIZE | port;
  }

  /** The intervals of keys under which a run is found; always the same ones in the same order. */
  void of(RunShape shape, int count, Intervals intervals) {
    RunShape.Box box = shape.box(count);
    long nodes = box.nodes().count(shape.nodeStep());
    long ports = box.ports().count(shape.portStep());
    if (ports <= MOST_PORTS && nodes >= NODES_TO_PORTS * ports) {
      byPorts(shape, box, intervals);
    } else {
      byAddress(shape, box, intervals);
    }
  }

  /** Intervals of keys that include those of all runs which have one of the addresses. */
  void near(RunShape shape, int count, Intervals intervals) {
    RunShape.Box box = shape.box(count);
    byAddress(shape, box, intervals);
    byPorts(shape, box, intervals);
  }

  private void byAddress(RunShape shape, RunShape.Box box, Intervals intervals) {
    long network = network(shape);
    intervals.interval(
        byAddress(network, box.nodes().first(), box.ports().first()),
        byAddress(network, box.nodes().last(), box.ports().last()));
  }

  private void byPorts(RunShape shape, RunShape.Box box, Intervals intervals) {
    long network = network(shape);
    long last = box.ports().last();
    // Many ports are not looked at one by one.
    boolean isMany = box.ports().count(shape.portStep()) > MANY_PORTS;
    long others = isMany ? last - box.ports().first() : 0;
    int step = Math.max(1, Math.abs(shape.portStep()));
    for (long port = box.ports().first(); port + others <= last; port += step) {
      intervals.interval(
          byPort(network, box.nodes().first(), port),
          byPort(network, box.nodes().last(), port + others));
    }
  }

  private long network(RunShape shape) {
    return network(shape.ipv6(), shape.high(), shape.low(), shape.scope());
  }
}
