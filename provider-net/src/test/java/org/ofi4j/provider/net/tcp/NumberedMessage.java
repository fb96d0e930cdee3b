// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Messages that tell which they are: their number at the beginning, and after it a pattern that
 * follows from it. A byte that is missing, changed or another message's shows.
 */
final class NumberedMessage {
  static final int SHORTEST = Long.BYTES;

  /** What a message is whose bytes do not belong together; no number is negative. */
  static final long BROKEN = -1;

  private NumberedMessage() {}

  /** Writes a message that fills some memory. */
  static MemorySegment write(MemorySegment into, long number) {
    into.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
    MemorySegment.copy(
        pattern(number, into.byteSize()), 0, into, SHORTEST, into.byteSize() - SHORTEST);
    return into;
  }

  /** The number of a message, or {@link #BROKEN}. */
  static long read(MemorySegment buffer, long length) {
    if (length < SHORTEST) {
      return BROKEN;
    }
    long number = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    long rest = length - SHORTEST;
    boolean whole =
        MemorySegment.mismatch(buffer, SHORTEST, length, pattern(number, length), 0, rest) < 0;
    return whole ? number : BROKEN;
  }

  /** What follows the number in a message of some length: each byte is one more than the last. */
  private static MemorySegment pattern(long number, long length) {
    byte[] bytes = new byte[(int) length - SHORTEST];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (number + SHORTEST + i);
    }
    return MemorySegment.ofArray(bytes);
  }
}
