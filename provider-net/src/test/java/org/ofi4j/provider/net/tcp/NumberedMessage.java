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
    for (int i = SHORTEST; i < into.byteSize(); i++) {
      into.set(ValueLayout.JAVA_BYTE, i, (byte) (number + i));
    }
    return into;
  }

  /** The number of a message, or {@link #BROKEN}. */
  static long read(MemorySegment buffer, long length) {
    if (length < SHORTEST) {
      return BROKEN;
    }
    long number = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    for (int i = SHORTEST; i < length; i++) {
      if (buffer.get(ValueLayout.JAVA_BYTE, i) != (byte) (number + i)) {
        return BROKEN;
      }
    }
    return number;
  }
}
