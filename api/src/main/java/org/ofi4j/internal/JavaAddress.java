// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;

/** Internet addresses to and from those of the JDK. */
public final class JavaAddress {
  private static final int MAX_PORT = 0xFFFF;

  private JavaAddress() {}

  public static FabricAddress from(InetSocketAddress address) {
    return switch (address.getAddress()) {
      case Inet4Address ip ->
          new SocketAddress4(ByteBuffer.wrap(ip.getAddress()).getInt(), address.getPort());
      case Inet6Address ip -> {
        ByteBuffer bytes = ByteBuffer.wrap(ip.getAddress());
        yield new SocketAddress6(
            bytes.getLong(), bytes.getLong(), address.getPort(), 0, ip.getScopeId());
      }
      case null, default ->
          throw new FabricException(
              Errno.EINVAL,
              "host "
                  + address.getHostString()
                  + " is not resolved: resolve it, or insert it with"
                  + " insertService");
    };
  }

  public static InetSocketAddress of(SocketAddress4 address) {
    byte[] bytes = ByteBuffer.allocate(4).putInt(address.address()).array();
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), address.port());
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an IPv4 address", e);
    }
  }

  public static InetSocketAddress of(SocketAddress6 address) {
    byte[] bytes = ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low()).array();
    // To the JDK scope 0 is a scope, and none is negative. This method, unlike the one of
    // InetAddress, leaves IPv4-mapped addresses what they are.
    int scope = address.scopeId() == 0 ? -1 : address.scopeId();
    try {
      return new InetSocketAddress(Inet6Address.getByAddress(null, bytes, scope), address.port());
    } catch (UnknownHostException e) {
      throw new AssertionError("sixteen bytes are an IPv6 address", e);
    }
  }

  public static void requirePort(int port) {
    if (port < 0 || port > MAX_PORT) {
      throw new FabricException(Errno.EINVAL, "port " + port + " is not from 0 to " + MAX_PORT);
    }
  }
}
