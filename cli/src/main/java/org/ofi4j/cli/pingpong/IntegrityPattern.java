// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The bytes that messages are filled with when data is verified: an alphabet that goes round, and
 * begins 7 characters later with each message. Sent and received messages are counted apart, from
 * the first of the whole run, whatever their sizes. For one thread.
 */
final class IntegrityPattern {
  private static final byte[] ALPHABET =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
          .getBytes(StandardCharsets.US_ASCII);
  private static final int STEP = 7;

  /** The alphabet often enough that every message is a part of it. */
  private final MemorySegment rolled;

  private int sent;
  private int received;

  IntegrityPattern(int longest) {
    byte[] bytes = new byte[ALPHABET.length + longest];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = ALPHABET[i % ALPHABET.length];
    }
    rolled = MemorySegment.ofArray(bytes);
  }

  /** Fills the next message to send. */
  void fill(MemorySegment message, int size) {
    MemorySegment.copy(rolled, begin(sent++), message, 0, size);
  }

  /** Checks the next message received: -1 if it is right, else the first byte that is not. */
  long firstMismatch(MemorySegment message, int size) {
    int begin = begin(received++);
    return MemorySegment.mismatch(message, 0, size, rolled, begin, (long) begin + size);
  }

  /** How many messages have been checked. */
  int checked() {
    return received;
  }

  /** C counts in 32 bits and multiplies before it divides, so large counts wrap in between. */
  private static int begin(int count) {
    return Integer.remainderUnsigned(count * STEP, ALPHABET.length);
  }
}
