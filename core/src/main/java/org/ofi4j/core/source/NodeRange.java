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
   * @return the address, or null if {@link #errno} and {@link #reason} say why there is none
   */
  @Nullable FabricAddress at(int node, int port);

  String text(int node);

  /** What a node without address fails with. */
  Errno errno(int node);

  /** Why a node has no address. */
  String reason(int node);

  /** Does what may take long; see {@link AddressSource#prepare}. */
  default void prepare() throws InterruptedException {}

  /** A numeric node, or what looks like one and is none; null if it is the name of a host. */
  static @Nullable NodeRange numeric(String node) {
    try {
      return switch (NumericNode.parse(node)) {
        case SocketAddress4 ip -> new Ipv4(ip.address());
        case SocketAddress6 ip -> new Ipv6(ip.high(), ip.low(), ip.scopeId());
        case null, default -> null;
      };
    } catch (FabricException neither) {
      return new Unreadable(node, reason(neither));
    }
  }

  /** What an exception says behind its errno. */
  static String reason(FabricException refused) {
    String message = String.valueOf(refused.getMessage());
    return message.substring(message.indexOf(": ") + 2);
  }

  /** Nodes that are numbers, which need no look at each. */
  sealed interface Numeric extends NodeRange permits Ipv4, Ipv6 {
    @Override
    default Errno errno(int node) {
      return Errno.EADDRNOTAVAIL;
    }

    /** How many of the nodes are not beyond the last address. */
    int reach(int count);

    /**
     * Ports on some of the nodes as ranges, one behind the other.
     *
     * @param from the first node
     * @param to one more than the last node, within {@link #reach}
     * @param port the first port
     * @return the ranges; none if a node behind the first one is the any-address
     */
    List<AddressRange> ranges(int from, int to, int port, int services);
  }

  /**
   * IPv4 nodes, counted with 32 bits.
   *
   * @param first the first address as one number
   */
  record Ipv4(int first) implements Numeric {
    @Override
    public int reach(int count) {
      return (int) Math.min(count, (1L << Integer.SIZE) - Integer.toUnsignedLong(first));
    }

    @Override
    public List<AddressRange> ranges(int from, int to, int port, int services) {
      long low = Integer.toUnsignedLong(first) + from;
      return List.of(new AddressRange(false, 0, low, 0, port, to - from, services));
    }

    @Override
    public @Nullable FabricAddress at(int node, int port) {
      long address = Integer.toUnsignedLong(first) + node;
      return address >>> 32 == 0 ? new SocketAddress4((int) address, port) : null;
    }

    @Override
    public String text(int node) {
      return node == 0 ? text() : text() + " + " + node;
    }

    private String text() {
      return "%s.%s.%s.%s"
          .formatted(first >>> 24, first >>> 16 & 0xFF, first >>> 8 & 0xFF, first & 0xFF);
    }

    @Override
    public String reason(int node) {
      return "lies beyond the last IPv4 address, 255.255.255.255";
    }
  }

  /**
   * IPv6 nodes, counted with 128 bits.
   *
   * @param high the first eight bytes of the first address
   * @param low the last eight bytes
   */
  record Ipv6(long high, long low, int scope) implements Numeric {
    /** The last eight bytes of {@code ::ffff:0.0.0.0}, which is any-address too. */
    private static final long MAPPED_ANY = 0xFFFF_0000_0000L;

    @Override
    public int reach(int count) {
      return high == -1 ? uncarried(count) : count;
    }

    /** How many nodes there are before the low 64 bits run over. */
    private int uncarried(int count) {
      return low != 0 && Long.compareUnsigned(-low, count) < 0 ? (int) -low : count;
    }

    @Override
    public List<AddressRange> ranges(int from, int to, int port, int services) {
      long mappedAny = MAPPED_ANY - low;
      if (high == 0 && mappedAny >= from && mappedAny < to) {
        return List.of();
      }
      List<AddressRange> ranges = new ArrayList<>(2);
      int carry = Math.max(from, uncarried(to));
      if (carry > from) {
        ranges.add(new AddressRange(true, high, low + from, scope, port, carry - from, services));
      }
      if (to > carry) {
        ranges.add(
            new AddressRange(true, high + 1, low + carry, scope, port, to - carry, services));
      }
      return ranges;
    }

    @Override
    public @Nullable FabricAddress at(int node, int port) {
      long sum = low + node;
      boolean carry = Long.compareUnsigned(sum, low) < 0;
      return carry && high == -1
          ? null
          : new SocketAddress6(carry ? high + 1 : high, sum, port, 0, scope);
    }

    @Override
    public String text(int node) {
      String uri = new SocketAddress6(high, low, 0, 0, scope).toString();
      String first = uri.substring(uri.indexOf('['), uri.indexOf(']') + 1);
      return node == 0 ? first : first + " + " + node;
    }

    @Override
    public String reason(int node) {
      return "lies beyond the last IPv6 address";
    }
  }

  /** What is neither a numeric address nor a host name. */
  record Unreadable(String node, String complaint) implements NodeRange {
    @Override
    public @Nullable FabricAddress at(int node, int port) {
      return null;
    }

    @Override
    public String text(int node) {
      return this.node;
    }

    @Override
    public Errno errno(int node) {
      return Errno.EINVAL;
    }

    @Override
    public String reason(int node) {
      return complaint;
    }
  }
}
