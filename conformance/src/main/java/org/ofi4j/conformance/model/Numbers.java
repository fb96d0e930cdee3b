// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;

/**
 * Addresses as numbers, so that a reference can hold many and tell their order: the port in the 16
 * lowest bits, above it the IPv4 address, or the last 32 bits of an IPv6 address below 2001:db8::
 * and a mark. What is no address is the negative number of the errno that it fails with.
 */
final class Numbers {
  /** What lies beyond the last port or the last address. */
  static final long NOT_AVAILABLE = -Errno.EADDRNOTAVAIL.number();

  private static final long IPV6 = 1L << 62;
  private static final long PREFIX = 0x2001_0DB8_0000_0000L;
  private static final long LAST_HOST = 0xFFFF_FFFFL;
  private static final int LAST_PORT = 0xFFFF;
  private static final int IPV4_SIZE = 16;
  private static final int IPV6_SIZE = 28;
  private static final short FAMILY_IPV4 = 2;
  private static final short FAMILY_IPV6 = 10;

  private Numbers() {}

  /** The number of an address, or of none if port or host are too large. */
  static long of(boolean ipv6, long host, int port) {
    return port > LAST_PORT || host > LAST_HOST
        ? NOT_AVAILABLE
        : (ipv6 ? IPV6 : 0) | host << 16 | port;
  }

  private static boolean isIpv6(long number) {
    return (number & IPV6) != 0;
  }

  static FabricAddress address(long number) {
    int port = (int) (number & LAST_PORT);
    long host = number >>> 16 & LAST_HOST;
    return isIpv6(number)
        ? new SocketAddress6(PREFIX, host, port, 0, 0)
        : new SocketAddress4((int) host, port);
  }

  static List<FabricAddress> addresses(long[] numbers) {
    List<FabricAddress> addresses = new ArrayList<>(numbers.length);
    for (long number : numbers) {
      addresses.add(address(number));
    }
    return addresses;
  }

  /** The first host of a range as text. */
  static String node(boolean ipv6, long host) {
    return ipv6
        ? "2001:db8::" + Long.toHexString(host >>> 16) + ":" + Long.toHexString(host & 0xFFFF)
        : (host >>> 24) + "." + (host >>> 16 & 255) + "." + (host >>> 8 & 255) + "." + (host & 255);
  }

  /** Addresses one behind the other, as C programs keep them. */
  static MemorySegment pack(long... numbers) {
    int size = 0;
    for (long number : numbers) {
      size += isIpv6(number) ? IPV6_SIZE : IPV4_SIZE;
    }
    ByteBuffer packed = ByteBuffer.allocate(size);
    for (long number : numbers) {
      boolean ipv6 = isIpv6(number);
      int end = packed.position() + (ipv6 ? IPV6_SIZE : IPV4_SIZE);
      packed.order(ByteOrder.nativeOrder()).putShort(ipv6 ? FAMILY_IPV6 : FAMILY_IPV4);
      packed.order(ByteOrder.BIG_ENDIAN).putShort((short) number);
      if (ipv6) {
        packed.putInt(0).putLong(PREFIX);
        packed.putLong(number >>> 16 & LAST_HOST);
      } else {
        packed.putInt((int) (number >>> 16));
      }
      packed.position(end);
    }
    return MemorySegment.ofArray(packed.array());
  }
}
