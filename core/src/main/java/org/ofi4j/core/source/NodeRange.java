// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.util.ArrayList;
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

    /** Returns how many of the nodes are not beyond the last address. */
    int reach(int count) {
      return high == -1 ? uncarried(count) : count;
    }

    /** Returns how many nodes there are before the low 64 bits run over. */
    private int uncarried(int count) {
      return low != 0 && Long.compareUnsigned(-low, count) < 0 ? (int) -low : count;
    }

    /**
     * Returns ports on some of the nodes as ranges, one behind the other.
     *
     * @param from the first node
     * @param to one more than the last node, within {@link #reach}
     * @param port the first port
     * @return the ranges; none if a node behind the first one is the any-address
     */
    List<AddressRange> ranges(int from, int to, int port, int services) {
      long mappedAny = MAPPED_ANY - low;
      if (high == 0 && mappedAny >= from && mappedAny < to) {
        return List.of();
      }
      List<AddressRange> ranges = new ArrayList<>(2);
      int carry = Math.max(from, uncarried(to));
      if (carry > from) {
        ranges.add(range(high, low + from, port, carry - from, services));
      }
      if (to > carry) {
        ranges.add(range(high + 1, low + carry, port, to - carry, services));
      }
      return ranges;
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
