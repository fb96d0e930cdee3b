// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.address.AddressKey;

/**
 * Keys under which runs are found by address. There are two orders, so that addresses that a run
 * does not have seldom lie between those that it has:
 *
 * <pre>
 *              63  62      61 .... 48   47 .............. 32   31 .......... 0
 *   by port     0 | IPv6 | network    | port                 | node
 *   by address  0 | IPv6 | network    | node (32), port (16)
 * </pre>
 *
 * <p>Many nodes with few ports are found by port, one element for each port; anything else by
 * address, one element for all of it. {@code network} is a keyed hash of the first 96 bits of an
 * IPv6 address and its scope. Keys only say where to look; the formula of the run is compared.
 */
public final class RunKeys {
  /** A run with more ports is found by address. */
  private static final int MAX_ROWS = 16;

  /** So many times as many nodes as ports there must be for a run to be found by port. */
  private static final int NODES_TO_PORTS = 4;

  private static final long IPV6 = 1L << 62;
  private static final int NETWORK_SHIFT = 48;
  private static final long NODE_MASK = 0xFFFF_FFFFL;

  public interface Elements {
    /**
     * An element.
     *
     * @param byPort whether it is one of the order by port
     * @param first its first key
     * @param last its last key
     */
    void element(boolean byPort, long first, long last);
  }

  private final long seed;

  RunKeys(long seed) {
    this.seed = seed;
  }

  /** What all keys of a network have in common; 0 for IPv4. */
  long network(boolean ipv6, long high, long low, int scope) {
    if (!ipv6) {
      return 0;
    }
    long upper = AddressKey.hashIpv4(high, seed) + (low >>> Integer.SIZE);
    long hash = AddressKey.hashIpv4(upper ^ (long) scope << Integer.SIZE, seed);
    return IPV6 | hash >>> (NETWORK_SHIFT + 2) << NETWORK_SHIFT;
  }

  /** Whether a key is that of an IPv6 address. */
  static boolean isIpv6(long key) {
    return (key & IPV6) != 0;
  }

  static long byPort(long network, long node, int port) {
    return network | (long) port << Integer.SIZE | (node & NODE_MASK);
  }

  static long byAddress(long network, long node, int port) {
    return network | (node & NODE_MASK) << Short.SIZE | port;
  }

  /**
   * The elements of a run.
   *
   * @param elements takes the elements, always the same ones in the same order
   */
  public void of(RunShape shape, int count, Elements elements) {
    of(shape, 0, count, elements);
  }

  /**
   * The elements of a run, without what they have of its first addresses.
   *
   * @param from how many to leave out; 0 unless they are one row
   * @param count how many there are, with those left out
   */
  public void of(RunShape shape, int from, int count, Elements elements) {
    long network = network(shape.ipv6(), shape.high(), shape.low(), shape.scope());
    Extent whole = Extent.of(shape, count);
    Extent extent = from == 0 ? whole : Extent.of(shape.from(from), count - from);
    if (whole.isByPort()) {
      int step = Math.abs(shape.portStep());
      for (int i = 0; i < extent.ports(); i++) {
        int port = extent.leastPort() + i * step;
        elements.element(
            true,
            byPort(network, extent.leastNode(), port),
            byPort(network, extent.lastNode(), port));
      }
    } else {
      elements.element(
          false,
          byAddress(network, extent.leastNode(), extent.leastPort()),
          byAddress(network, extent.lastNode(), extent.lastPort()));
    }
  }

  /** The nodes and ports between which the addresses of a run lie. */
  record Extent(long leastNode, long lastNode, int leastPort, int lastPort, long nodes, int ports) {

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

    boolean isByPort() {
      return ports <= MAX_ROWS && nodes >= (long) NODES_TO_PORTS * ports;
    }
  }
}
