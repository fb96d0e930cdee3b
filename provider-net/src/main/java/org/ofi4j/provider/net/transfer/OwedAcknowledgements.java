// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * Acknowledgements that a peer is to get: frames without content, which stand between others and
 * count by their order alone. So nothing is kept but their number, and how much of the first one is
 * out. For one thread at a time.
 */
final class OwedAcknowledgements {
  private int count;

  // So many bytes of the first are out.
  private int begun;

  boolean isEmpty() {
    return count == 0;
  }

  void add() {
    count++;
  }

  void clear() {
    count = 0;
  }

  /** How many of the next frames have their number already: the one that is begun. */
  int numbered() {
    return begun > 0 ? 1 : 0;
  }

  /**
   * Writes some into an empty buffer, in its order of bytes, but for half of it.
   *
   * @param number of the next frame that has no number yet
   * @return how many
   */
  int fill(ByteBuffer out, int number) {
    int some = Math.min(count, out.remaining() / FrameHeader.BASE / 2);
    int first = number - numbered();
    for (int i = 0; i < some; i++) {
      FrameHeader.encodeBase(
          out, FrameHeader.MESSAGE, 0, FrameHeader.ACKNOWLEDGEMENT, first + i, 0);
    }
    if (begun > 0) {
      int end = out.position();
      out.position(begun).limit(end).compact();
    }
    return some;
  }

  /**
   * The kernel has taken bytes of what {@link #fill} wrote.
   *
   * @param written bytes of that, at most as many as there were
   * @return how many frames have a number now that had none before
   */
  int advance(long written) {
    long all = begun + written;
    int whole = (int) (all / FrameHeader.BASE);
    int rest = (int) (all % FrameHeader.BASE);
    int numbers = whole + (rest > 0 ? 1 : 0) - numbered();
    count -= whole;
    begun = rest;
    return numbers;
  }

  /** Bytes of so many that are not out, from the first on. */
  long bytes(int some) {
    return (long) some * FrameHeader.BASE - begun;
  }
}
