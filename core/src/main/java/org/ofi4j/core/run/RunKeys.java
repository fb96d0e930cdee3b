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
  private static final long NODE_MASK = 0xFFFF_FFFFL;

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

  static long byPort(long network, long node, int port) {
    return network | BY_PORT | (long) port << Integer.SIZE | (node & NODE_MASK);
  }

  static long byAddress(long network, long node, int port) {
    return network | (node & NODE_MASK) << Short.SIZE | port;
  }

  /** The intervals of keys under which a run is found; always the same ones in the same order. */
  void of(RunShape shape, int count, Intervals intervals) {
    long network = network(shape);
    Extent extent = Extent.of(shape, count);
    if (!extent.isByPort()) {
      intervals.interval(extent.firstByAddress(network), extent.lastByAddress(network));
      return;
    }
    int step = Math.abs(shape.portStep());
    for (int i = 0; i < extent.ports(); i++) {
      int port = extent.leastPort() + i * step;
      intervals.interval(
          byPort(network, extent.leastNode(), port), byPort(network, extent.lastNode(), port));
    }
  }

  /** Intervals of keys that include those of all runs which have one of the addresses. */
  void near(RunShape shape, int count, Intervals intervals) {
    long network = network(shape);
    Extent extent = Extent.of(shape, count);
    intervals.interval(extent.firstByAddress(network), extent.lastByAddress(network));
    // Many ports are not looked at one by one.
    boolean many = extent.ports() > MANY_PORTS;
    int step = many ? RunShape.MAX_PORT + 1 : Math.max(1, Math.abs(shape.portStep()));
    for (int port = extent.leastPort(); port <= extent.lastPort(); port += step) {
      intervals.interval(
          byPort(network, extent.leastNode(), port),
          byPort(network, extent.lastNode(), many ? extent.lastPort() : port));
    }
  }

  private long network(RunShape shape) {
    return network(shape.ipv6(), shape.high(), shape.low(), shape.scope());
  }

  /** The nodes and ports between which the addresses of a run lie. */
  private record Extent(
      long leastNode, long lastNode, int leastPort, int lastPort, long nodes, int ports) {

    static Extent of(RunShape shape, int count) {
      int end = shape.skip() + count - 1;
      int inner = shape.inner();
      int row = shape.skip() / inner;
      int lastRow = end / inner;
      int column = row == lastRow ? shape.skip() % inner : 0;
      int lastColumn = row == lastRow ? end % inner : inner - 1;
      int node = shape.portsFirst() ? row : column;
      int lastNode = shape.portsFirst() ? lastRow : lastColumn;
      int port = shape.portsFirst() ? column : row;
      int lastPort = shape.portsFirst() ? lastColumn : lastRow;
      long oneNode = shape.low() + (long) node * shape.nodeStep();
      long otherNode = shape.low() + (long) lastNode * shape.nodeStep();
      int onePort = shape.port() + port * shape.portStep();
      int otherPort = shape.port() + lastPort * shape.portStep();
      return new Extent(
          Math.min(oneNode & NODE_MASK, otherNode & NODE_MASK),
          Math.max(oneNode & NODE_MASK, otherNode & NODE_MASK),
          Math.min(onePort, otherPort),
          Math.max(onePort, otherPort),
          shape.nodeStep() == 0 ? 1 : lastNode - node + 1L,
          shape.portStep() == 0 ? 1 : lastPort - port + 1);
    }

    long firstByAddress(long network) {
      return byAddress(network, leastNode, leastPort);
    }

    long lastByAddress(long network) {
      return byAddress(network, lastNode, lastPort);
    }

    boolean isByPort() {
      return ports <= MOST_PORTS && nodes >= (long) NODES_TO_PORTS * ports;
    }
  }
}
