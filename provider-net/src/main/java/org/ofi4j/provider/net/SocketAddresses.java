package org.ofi4j.provider.net;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;

/** Addresses of the fabric to and from those of the JDK. */
final class SocketAddresses {
  /** The upper half of {@code ::ffff:0:0/96}, IPv4 addresses in the dress of IPv6, is zero. */
  private static final long MAPPED = 0xFFFFL << 32;

  private SocketAddresses() {}

  /** The JDK's form of an address. */
  static InetSocketAddress of(FabricAddress address) {
    return switch (address) {
      case SocketAddress4 v4 -> ofIpv4(v4.address(), v4.port());
      case SocketAddress6 v6 -> ofIpv6(v6.high(), v6.low(), v6.port(), v6.scopeId());
      case TextAddress text -> of(FabricAddress.parse(text.text()));
      case ProviderAddress other ->
          throw new FabricException(
              Errno.EINVAL,
              "address " + other + " is of format " + other.format() + ", not a socket address");
    };
  }

  static InetSocketAddress ofIpv4(int address, int port) {
    return new InetSocketAddress(ofBytes(ByteBuffer.allocate(4).putInt(address).array(), 0), port);
  }

  static InetSocketAddress ofIpv6(long high, long low, int port, int scope) {
    byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    return new InetSocketAddress(ofBytes(bytes, scope), port);
  }

  /** The same IPv6 address on one link, if it names none. */
  static InetSocketAddress withScope(InetSocketAddress address, int scope) {
    return address.getAddress() instanceof Inet6Address v6 && v6.getScopeId() == 0
        ? new InetSocketAddress(ofBytes(v6.getAddress(), scope), address.getPort())
        : address;
  }

  private static InetAddress ofBytes(byte[] bytes, int scope) {
    try {
      return bytes.length == 4
          ? InetAddress.getByAddress(bytes)
          : Inet6Address.getByAddress(null, bytes, scope);
    } catch (UnknownHostException wrongLength) {
      throw new IllegalArgumentException(wrongLength);
    }
  }

  /** An address of the JDK's as an address of a domain. */
  static FabricAddress inFormat(InetSocketAddress address, AddressFormat format) {
    FabricAddress value = FabricAddress.of(address);
    return format == AddressFormat.STR ? new TextAddress(value.toString()) : value;
  }

  /**
   * Reads an address of the JDK's into a key.
   *
   * @param mapped whether IPv4 is written in the dress of IPv6, for vectors that hold nothing else
   */
  static void read(InetSocketAddress address, boolean mapped, AddressKey into) {
    byte[] bytes = address.getAddress().getAddress();
    if (address.getAddress() instanceof Inet6Address v6) {
      // Only on a link does an address need to say which link; elsewhere a scope is noise.
      int scope = v6.isLinkLocalAddress() ? v6.getScopeId() : 0;
      into.setIpv6(number(bytes, 0, 8), number(bytes, 8, 8), address.getPort(), 0, scope);
      return;
    }
    long number = number(bytes, 0, 4);
    if (mapped) {
      into.setIpv6(0, MAPPED | number, address.getPort(), 0, 0);
    } else {
      into.setIpv4(number << 16 | address.getPort());
    }
  }

  private static long number(byte[] bytes, int from, int count) {
    long number = 0;
    for (int i = from; i < from + count; i++) {
      number = number << Byte.SIZE | (bytes[i] & 0xFF);
    }
    return number;
  }

  static boolean isIpv6(InetSocketAddress address) {
    return !(address.getAddress() instanceof Inet4Address);
  }
}
