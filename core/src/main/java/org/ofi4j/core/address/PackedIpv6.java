// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.ofi4j.core.address.PackedWords.WORD;

import java.lang.foreign.MemorySegment;

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

  private PackedIpv6() {}

  /**
   * Writes an address.
   *
   * @param high its first eight bytes, the first one the highest
   * @param low its last eight bytes
   * @param target takes the first {@link #SIZE} bytes
   */
  public static void write(long high, long low, int port, MemorySegment target) {
    target.set(JAVA_INT_UNALIGNED, 24, 0);
    target.set(WORD, 0, PackedWords.head(PackedWords.FAMILY_IPV6, port));
    target.set(WORD, 8, high);
    target.set(WORD, 16, low);
  }
}
