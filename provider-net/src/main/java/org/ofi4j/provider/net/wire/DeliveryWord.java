// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.nio.ByteBuffer;

/**
 * Where at its destination a message belongs: in frames that do not go to peer group 0 and receive
 * context 0. In the byte order of the frame:
 *
 * <pre>
 *   offset 0  u32 peer group | u16 receive context | u16 0
 * </pre>
 *
 * <p>Here it is a {@code long}, {@code context << 32 | group}, whose 0 is what frames without a
 * word mean.
 */
public final class DeliveryWord {
  static final int SIZE = 8;

  /** The word of a message that goes where messages without a word go. */
  public static final long NONE = 0;

  private static final long GROUP = 0xFFFF_FFFFL;

  private DeliveryWord() {}

  /**
   * A word.
   *
   * @param group the peer group, 0 to 2<sup>32</sup> - 1 as unsigned number
   * @param receiveContext the receive context, 0 to 65535
   */
  public static long of(int group, int receiveContext) {
    return (long) receiveContext << Integer.SIZE | (group & GROUP);
  }

  /** The peer group; as unsigned number if it comes from elsewhere. */
  public static int group(long word) {
    return (int) word;
  }

  public static int receiveContext(long word) {
    return (int) (word >>> Integer.SIZE);
  }

  /** Writes a word, in the byte order of the buffer. */
  static void encode(ByteBuffer into, long word) {
    into.putInt(group(word)).putShort((short) receiveContext(word)).putShort((short) 0);
  }

  /** Reads a word, in the byte order of the buffer. */
  static long decode(ByteBuffer from, int at) {
    return of(from.getInt(at), Short.toUnsignedInt(from.getShort(at + Integer.BYTES)));
  }
}
