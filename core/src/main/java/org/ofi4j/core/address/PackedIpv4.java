// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.ofi4j.core.address.PackedWords.WORD;

import java.lang.foreign.MemorySegment;

/**
 * The packed form of IPv4 addresses, straight from and to the one word that a vector keeps of them:
 * lookups and bulk insertion do nothing else a million times.
 *
 * <pre>
 *   sockaddr_in   0 u16 family 2 native | 2 u16 port BE | 4 address | 8 zeros, to 16
 *   word          0 (16) | address (32) | port (16)
 * </pre>
 */
public final class PackedIpv4 {
  /** Bytes of a packed address. */
  public static final int SIZE = PackedWords.SIZE_IPV4;

  private static final long HEAD = PackedWords.head(PackedWords.FAMILY_IPV4, 0);
  private static final int FAMILY = (int) (HEAD >>> 48);
  private static final long LOW_HALF = 0xFFFF_FFFFL;
  private static final long PORT = 0xFFFF;

  private PackedIpv4() {}

  /** An address as {@code address << 16 | port}; -1 if it is of another family. */
  public static long read(MemorySegment packed, long offset) {
    long head = packed.get(WORD, offset);
    return head >>> 48 == FAMILY ? (head & LOW_HALF) << 16 | (head >>> 32 & PORT) : -1;
  }

  /** Writes {@code address << 16 | port} into the first {@link #SIZE} bytes. */
  public static void write(long addressAndPort, MemorySegment target) {
    target.set(WORD, 0, HEAD | (addressAndPort & PORT) << 32 | addressAndPort >>> 16);
    target.set(WORD, Long.BYTES, 0);
  }
}
