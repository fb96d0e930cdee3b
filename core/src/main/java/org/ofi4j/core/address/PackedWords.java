// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Families and sizes of packed addresses; writes them as far as they fit (AV-139), and puts native
 * numbers into words.
 */
final class PackedWords {
  static final int FAMILY_IPV4 = 2;
  static final int FAMILY_IPV6 = 10;
  static final int FAMILY_IB = 27;

  static final int SIZE_IPV4 = 16;
  static final int SIZE_IPV6 = 28;

  static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private PackedWords() {}

  /** The family, or -1 if there is no room for one. */
  static int familyAt(MemorySegment packed, long offset) {
    return packed.byteSize() - offset < 2
        ? -1
        : Short.toUnsignedInt(packed.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset));
  }

  /** Writes the first {@code count} bytes of a word, the highest first, as far as they fit. */
  static void put(MemorySegment target, int offset, long word, int count) {
    if (count == Long.BYTES && target.byteSize() - offset >= Long.BYTES) {
      target.set(WORD, offset, word);
      return;
    }
    long end = Math.min(target.byteSize(), (long) offset + count);
    long rest = word;
    for (long i = offset; i < end; i++) {
      target.set(JAVA_BYTE, i, (byte) (rest >>> 56));
      rest <<= 8;
    }
  }

  static void put(MemorySegment target, byte[] bytes, int count) {
    int length = (int) Math.min(target.byteSize(), count);
    MemorySegment.copy(bytes, 0, target, JAVA_BYTE, 0, length);
  }

  /** Four bytes in native order as the high half of a word. */
  static long nativeInt(int value) {
    return (long) (LITTLE ? Integer.reverseBytes(value) : value) << 32;
  }

  /** Family and port in the high half of the first word. */
  static long head(int family, long port) {
    short image = (short) family;
    return (long) (LITTLE ? Short.reverseBytes(image) : image) << 48 | (port & 0xFFFF) << 32;
  }
}
