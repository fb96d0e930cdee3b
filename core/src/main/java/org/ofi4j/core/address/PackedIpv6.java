// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * The packed form of IPv6 addresses without flow label and scope, as lookups write it.
 *
 * <pre>
 *   sockaddr_in6  0 u16 family 10 native | 2 u16 port BE | 4 zeros | 8 address | 24 zeros, to 28
 * </pre>
 */
public final class PackedIpv6 {
  /** Bytes of a packed address. */
  public static final int SIZE = PackedWords.SIZE_IPV6;

  /** {@code AF_INET6}. */
  public static final int FAMILY = PackedWords.FAMILY_IPV6;

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private PackedIpv6() {}

  // Separate methods let the caller store each part before it loads the next.

  /**
   * Writes family and port, and no flow label.
   *
   * @param word eight bytes as they are in memory, of which the last four are family and port
   */
  public static void writeFamilyAndPort(long word, MemorySegment target) {
    target.set(JAVA_LONG_UNALIGNED, 0, LITTLE ? word >>> Integer.SIZE : word << Integer.SIZE);
  }

  /**
   * Writes the first half of the address.
   *
   * @param bytes as they are in memory
   */
  public static void writeFirstHalf(long bytes, MemorySegment target) {
    target.set(JAVA_LONG_UNALIGNED, 8, bytes);
  }

  /**
   * Writes the second half of the address, and no scope.
   *
   * @param bytes as they are in memory
   */
  public static void writeSecondHalf(long bytes, MemorySegment target) {
    target.set(JAVA_LONG_UNALIGNED, 16, bytes);
    target.set(JAVA_INT_UNALIGNED, 24, 0);
  }
}
