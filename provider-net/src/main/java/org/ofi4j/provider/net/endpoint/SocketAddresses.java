// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteOrder;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.provider.kit.SocketAddressKey;

/** Addresses of the fabric to and from those of the JDK. */
public final class SocketAddresses {
  /** The upper half of {@code ::ffff:0:0/96}, IPv4 addresses in the dress of IPv6, is zero. */
  static final long MAPPED = 0xFFFFL << 32;

  private static final VarHandle HALF =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private SocketAddresses() {}

  public static InetSocketAddress of(FabricAddress address) {
    FabricAddress spelled =
        address instanceof TextAddress text ? FabricAddress.parse(text.text()) : address;
    return switch (spelled) {
      case SocketAddress4 v4 -> v4.toSocketAddress();
      case SocketAddress6 v6 -> v6.toSocketAddress();
      case TextAddress _, ProviderAddress _ ->
          throw invalid(
              "address "
                  + spelled
                  + " is of format "
                  + spelled.format()
                  + ", not a socket address");
    };
  }

  public static InetSocketAddress ofIpv4(int address, int port) {
    return new SocketAddress4(address, port).toSocketAddress();
  }

  public static InetSocketAddress ofIpv6(long high, long low, int port, int scope) {
    return new SocketAddress6(high, low, port, 0, scope).toSocketAddress();
  }

  /** The same IPv6 address on one link, if it names none. */
  public static InetSocketAddress withScope(InetSocketAddress address, int scope) {
    return FabricAddress.of(address) instanceof SocketAddress6 v6 && v6.scopeId() == 0
        ? ofIpv6(v6.high(), v6.low(), v6.port(), scope)
        : address;
  }

  /** An address of the JDK's as an address of a domain. */
  public static FabricAddress inFormat(InetSocketAddress address, AddressFormat format) {
    FabricAddress value = FabricAddress.of(address);
    return format == AddressFormat.STR ? new TextAddress(value.toText()) : value;
  }

  /**
   * Reads an address of the JDK's into a key.
   *
   * @param mapped whether IPv4 is written in the dress of IPv6, for vectors that hold nothing else
   */
  public static void read(InetSocketAddress address, boolean mapped, SocketAddressKey into) {
    int port = address.getPort();
    if (address.getAddress() instanceof Inet4Address v4) {
      long number = (int) HALF.get(v4.getAddress(), 0) & 0xFFFF_FFFFL;
      if (mapped) {
        into.setIpv6(0, MAPPED | number, port, 0);
      } else {
        into.setIpv4(number << 16 | port);
      }
    } else if (address.getAddress() instanceof Inet6Address v6) {
      byte[] bytes = v6.getAddress();
      // Only on a link does an address need to say which link; elsewhere a scope is noise.
      int scope = v6.isLinkLocalAddress() ? v6.getScopeId() : 0;
      into.setIpv6((long) WORDS.get(bytes, 0), (long) WORDS.get(bytes, 8), port, scope);
    }
  }

  /** The family that sockets for an address are of. */
  public static ProtocolFamily family(InetSocketAddress address) {
    return isIpv6(address) ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
  }

  public static boolean isIpv6(InetSocketAddress address) {
    return !(address.getAddress() instanceof Inet4Address);
  }
}
