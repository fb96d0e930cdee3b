// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The content of a message of the stress test. All bytes follow from the number of the message, its
 * length and its destination, which are in its header; a message that is too short for a header has
 * bytes that follow from its length.
 */
final class StressMessage {
  /** Number, length, destination, and a check of the three. */
  static final int HEADER = 24;

  private static final int LENGTH = 8;
  private static final int DESTINATION = 12;
  private static final int CHECK = 16;
  private static final long FACTOR = 0x9E3779B97F4A7C15L;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private StressMessage() {}

  /** Fills memory with the message that has its length. */
  static void write(MemorySegment memory, long number, int destination) {
    long length = memory.byteSize();
    if (length < HEADER) {
      for (long i = 0; i < length; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, shortByte(length, i));
      }
      return;
    }
    memory.set(LONG, 0, number);
    memory.set(INT, LENGTH, (int) length);
    memory.set(INT, DESTINATION, destination);
    memory.set(LONG, CHECK, check(number, (int) length, destination));
    long i = HEADER;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      memory.set(LONG, i, mixed(number + i));
    }
    for (; i < length; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, (byte) mixed(number + i));
    }
  }

  /** Whether memory begins with the header of a message. */
  static boolean hasHeader(MemorySegment memory) {
    return memory.byteSize() >= HEADER
        && memory.get(LONG, 0) != 0
        && memory.get(LONG, CHECK)
            == check(memory.get(LONG, 0), memory.get(INT, LENGTH), memory.get(INT, DESTINATION));
  }

  /** The number of a message that has a header. */
  static long number(MemorySegment memory) {
    return memory.get(LONG, 0);
  }

  /**
   * Checks all bytes of a message that is complete.
   *
   * @return the fault; null if there is none
   */
  static @Nullable String fault(MemorySegment memory, int destination) {
    long length = memory.byteSize();
    if (length < HEADER) {
      for (long i = 0; i < length; i++) {
        if (memory.get(ValueLayout.JAVA_BYTE, i) != shortByte(length, i)) {
          return "byte " + i + " of " + length + " is wrong";
        }
      }
      return null;
    }
    if (!hasHeader(memory)) {
      return "no header in a message of " + length + " bytes";
    }
    long number = number(memory);
    String which = "message 0x" + Long.toHexString(number);
    if (memory.get(INT, LENGTH) != length) {
      return which + " has " + length + " bytes instead of " + memory.get(INT, LENGTH);
    }
    if (memory.get(INT, DESTINATION) != destination) {
      return which + " is for " + memory.get(INT, DESTINATION) + ", not for " + destination;
    }
    long i = HEADER;
    for (; i + Long.BYTES <= length; i += Long.BYTES) {
      if (memory.get(LONG, i) != mixed(number + i)) {
        return which + ": the word at byte " + i + " of " + length + " is wrong";
      }
    }
    for (; i < length; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, i) != (byte) mixed(number + i)) {
        return which + ": byte " + i + " of " + length + " is wrong";
      }
    }
    return null;
  }

  private static byte shortByte(long length, long at) {
    return (byte) (7 * length + at + 1);
  }

  private static long check(long number, int length, int destination) {
    return mixed(mixed(number + length) + destination);
  }

  private static long mixed(long value) {
    long product = value * FACTOR;
    return product ^ (product >>> 32);
  }
}
