// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What is in messages and memory that are compared byte by byte: each number has a content of its
 * own, without end, in which no eight bytes come twice. The C peers know the same contents.
 */
final class Content {
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Content() {}

  private static long word(long number, long index) {
    return (number + 1) * 0x9E3779B97F4A7C15L ^ (index + 1) * 0xD1B54A32D192ED03L;
  }

  private static byte byteAt(long number, long offset) {
    return (byte) (word(number, offset / 8) >>> (offset % 8 * 8));
  }

  /** Fills memory with the content of a number, from the beginning. */
  static void fill(MemorySegment memory, long number) {
    long words = memory.byteSize() / 8;
    for (long i = 0; i < words; i++) {
      memory.set(WORD, i * 8, word(number, i));
    }
    for (long i = words * 8; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, byteAt(number, i));
    }
  }

  /** Fails unless memory has the content of a number, from the beginning. */
  static void verify(MemorySegment memory, long number) {
    long words = memory.byteSize() / 8;
    for (long i = 0; i < words; i++) {
      if (memory.get(WORD, i * 8) != word(number, i)) {
        verifyBytes(memory, number, i * 8, i * 8 + 8);
      }
    }
    verifyBytes(memory, number, words * 8, memory.byteSize());
  }

  private static void verifyBytes(MemorySegment memory, long number, long from, long to) {
    for (long i = from; i < to; i++) {
      byte found = memory.get(ValueLayout.JAVA_BYTE, i);
      if (found != byteAt(number, i)) {
        throw new AssertionError(
            "byte %d of %d of content %d is %d and should be %d"
                .formatted(i, memory.byteSize(), number, found, byteAt(number, i)));
      }
    }
  }
}
