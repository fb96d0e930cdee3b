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

  /** A multiple of the bytes after which the pattern is the same again. */
  private static final int STRETCH = 1 << 16;

  private static final MemorySegment PATTERN = MemorySegment.ofArray(pattern());

  private NumberedMessage() {}

  private static byte[] pattern() {
    byte[] bytes = new byte[STRETCH + 256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  /** Writes a message that fills some memory. */
  static MemorySegment write(MemorySegment into, long number) {
    into.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
    for (long at = SHORTEST; at < into.byteSize(); at += STRETCH) {
      into.asSlice(at).copyFrom(pattern(number, Math.min(STRETCH, into.byteSize() - at)));
    }
    return into;
  }

  /** The number of a message, or {@link #BROKEN}. */
  static long read(MemorySegment buffer, long length) {
    if (length < SHORTEST) {
      return BROKEN;
    }
    long number = buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    for (long at = SHORTEST; at < length; at += STRETCH) {
      long stretch = Math.min(STRETCH, length - at);
      if (buffer.asSlice(at, stretch).mismatch(pattern(number, stretch)) >= 0) {
        return BROKEN;
      }
    }
    return number;
  }

  /** So many bytes behind the number, each one more than the last. */
  private static MemorySegment pattern(long number, long length) {
    return PATTERN.asSlice(number + SHORTEST & 0xFF, length);
  }
}
