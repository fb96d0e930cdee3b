// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.address.NumericNode;

/**
 * Consecutive nodes, counted from the one that the caller named (AV-118). Numeric nodes are
 * recognised before anything else is looked at, and never resolved.
 */
public sealed interface NodeRange permits NodeRange.Numeric, NodeRange.Unreadable, HostRange {
  /**
   * The address of a port on a node.
   *
   * @param node which node, from 0
   * @param port 0 to 65535
   * @return the address, or null if {@link #failure} says why there is none
   */
  @Nullable FabricAddress at(int node, int port);

  String text(int node);

  /** Returns why a node has no address. */
  Failure failure(int node);

  /** Does what may take long; see {@link AddressSource#prepare}. */
  default void prepare() throws InterruptedException {}

  /**
   * Reads a node that is a number.
   *
   * @return the nodes from there on; a node without address if it looks like a number and is none;
   *     null if it is the name of a host
   */
  static @Nullable NodeRange numeric(String node) {
    try {
      return switch (NumericNode.parse(node)) {
        case SocketAddress4 ip ->
            new Numeric(false, -1, -1L << Integer.SIZE | Integer.toUnsignedLong(ip.address()), 0);
        case SocketAddress6 ip -> new Numeric(true, ip.high(), ip.low(), ip.scopeId());
        case null, default -> null;
      };
    } catch (FabricException neither) {
      return new Unreadable(node, Failure.of(neither));
    }
  }

  /**
   * Nodes that are numbers of 128 bits, which need no look at each. IPv4 nodes have ones before
   * their 32 bits, so that both kinds run over behind the last address.
   *
   * @param high the first eight bytes of the first address
   * @param low the last eight bytes
   */
  record Numeric(boolean ipv6, long high, long low, int scope) implements NodeRange {
    /** The last eight bytes of {@code ::ffff:0.0.0.0}, which is any-address too. */
    private static final long MAPPED_ANY = 0xFFFF_0000_0000L;

    /**
     * Returns ports on the nodes as ranges, one behind the other.
     *
     * @param count how many nodes, the first of which is not the any-address
     * @param port the first port
     * @return the ranges; null if a node is the any-address, or lies beyond the last address
     */
    @Nullable List<AddressRange> ranges(int count, int port, int services) {
      // The low 64 bits may run over.
      int before = low != 0 && Long.compareUnsigned(-low, count) < 0 ? (int) -low : count;
      long mappedAny = MAPPED_ANY - low;
      boolean hasAny = high == 0 && mappedAny >= 0 && mappedAny < count;
      if (hasAny || (high == -1 && before < count)) {
        return null;
      }
      AddressRange range = range(high, low, port, before, services);
      return before == count
          ? List.of(range)
          : List.of(range, range(high + 1, 0, port, count - before, services));
    }

    private AddressRange range(long itsHigh, long itsLow, int port, int nodes, int services) {
      return ipv6
          ? new AddressRange(true, itsHigh, itsLow, scope, port, nodes, services)
          : new AddressRange(
              false, 0, Integer.toUnsignedLong((int) itsLow), 0, port, nodes, services);
    }

    @Override
    public @Nullable FabricAddress at(int node, int port) {
      long sum = low + node;
      boolean carry = Long.compareUnsigned(sum, low) < 0;
      if (carry && high == -1) {
        return null;
      }
      return ipv6
          ? new SocketAddress6(carry ? high + 1 : high, sum, port, 0, scope)
          : new SocketAddress4((int) sum, port);
    }

    @Override
    public String text(int node) {
      String uri = String.valueOf(at(0, 0));
      String first = uri.substring(uri.indexOf("//") + 2, uri.lastIndexOf(':'));
      return node == 0 ? first : first + " + " + node;
    }

    @Override
    public Failure failure(int node) {
      String last = ipv6 ? "IPv6 address" : "IPv4 address, 255.255.255.255";
      return new Failure(Errno.EADDRNOTAVAIL, "lies beyond the last " + last);
    }
  }

  /** A node that is neither a numeric address nor a host name. */
  record Unreadable(String node, Failure failure) implements NodeRange {
    @Override
    public @Nullable FabricAddress at(int node, int port) {
      return null;
    }

    @Override
    public String text(int node) {
      return this.node;
    }

    @Override
    public Failure failure(int node) {
      return failure;
    }
  }
}
