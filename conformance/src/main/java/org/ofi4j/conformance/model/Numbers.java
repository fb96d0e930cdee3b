// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.List;
import java.util.stream.LongStream;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.conformance.harness.Addresses;

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

  private Numbers() {}

  /** The number of an address, or of none if port or host are too large. */
  static long of(boolean ipv6, long host, int port) {
    return port > LAST_PORT || host > LAST_HOST
        ? NOT_AVAILABLE
        : (ipv6 ? IPV6 : 0) | host << 16 | port;
  }

  static FabricAddress address(long number) {
    int port = (int) (number & LAST_PORT);
    long host = number >>> 16 & LAST_HOST;
    return (number & IPV6) != 0
        ? new SocketAddress6(PREFIX, host, port, 0, 0)
        : new SocketAddress4((int) host, port);
  }

  static List<FabricAddress> addresses(long[] numbers) {
    return LongStream.of(numbers).mapToObj(Numbers::address).toList();
  }

  /** The first host of a range as text. */
  static String node(boolean ipv6, long host) {
    return ipv6
        ? "2001:db8::" + Long.toHexString(host >>> 16) + ":" + Long.toHexString(host & 0xFFFF)
        : Addresses.dotted((int) host);
  }
}
