// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.ofi4j.core.object.Misuse.invalid;

import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;

/**
 * Nodes that are numeric addresses, as {@code getaddrinfo} reads them: an IPv6 address, perhaps
 * with a scope behind {@code %}, or an IPv4 address in any form that {@code inet_aton} knows, such
 * as {@code 10.1.1.1}, {@code 127.1}, {@code 0177.0.0.1}, {@code 0x7f000001} or {@code 2130706433}.
 */
public final class NumericNode {
  private NumericNode() {}

  /**
   * Reads a node, which is never resolved.
   *
   * @return the address, with port 0; null if the node is a host name
   * @throws FabricException with {@link Errno#EINVAL} if it is neither an address nor a name
   */
  public static @Nullable FabricAddress parse(String node) {
    if (node.isEmpty()) {
      throw invalid("node is empty: name a host or a numeric address");
    }
    if (node.indexOf(':') >= 0) {
      return ipv6(node);
    }
    try {
      byte[] octets = Inet4Address.ofPosixLiteral(node).getAddress();
      return new SocketAddress4(ByteBuffer.wrap(octets).getInt(), 0);
    } catch (IllegalArgumentException name) {
      if (node.indexOf('.') >= 0 && node.matches("[0-9.]+")) {
        throw invalid("node \"" + node + "\" is no IPv4 address of up to four numbers to 255");
      }
      return null;
    }
  }

  private static SocketAddress6 ipv6(String node) {
    int percent = node.indexOf('%');
    String digits = percent < 0 ? node : node.substring(0, percent);
    // Only what can stand in a literal gets to the parser, which would pass over a tail.
    if (digits.matches("[0-9a-fA-F:.]+") && parsed(digits) instanceof SocketAddress6 address) {
      int scope = percent < 0 ? 0 : scope(node.substring(percent + 1));
      return new SocketAddress6(address.high(), address.low(), 0, 0, scope);
    }
    throw invalid("node \"" + node + "\" is no IPv6 address");
  }

  private static @Nullable FabricAddress parsed(String digits) {
    try {
      return FabricAddress.parse("fi_sockaddr_in6://[" + digits + "]:0");
    } catch (FabricException none) {
      return null;
    }
  }

  /** Number of an interface given by number or name. */
  private static int scope(String zone) {
    try {
      if (zone.matches("[0-9]{1,9}")) {
        return Integer.parseInt(zone);
      }
      NetworkInterface device = zone.isEmpty() ? null : NetworkInterface.getByName(zone);
      if (device != null) {
        return device.getIndex();
      }
    } catch (SocketException unknown) {
      // As if there were none.
    }
    throw invalid("\"" + zone + "\" is no network interface of this host");
  }
}
