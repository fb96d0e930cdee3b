package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A frame on its way out: what it carries, and how much of it is out. */
abstract class Outgoing extends Operation {
  /** The memory whose bytes the frame carries. */
  final Pieces message = new Pieces();

  /** How many they are. */
  long payload;

  /** Sequence number of the frame, once its first byte is out. */
  int sequence;

  /** Bytes of header and payload that are out. */
  long sent;

  /** Shows a large message, or a piece of it, to the channel; made once for each piece. */
  @Nullable ByteBuffer view;

  long viewStart;

  abstract int headerSize();

  /** Encodes the frame's header. */
  abstract void encodeHeader(ByteBuffer into);

  /**
   * Is asked each time before bytes of the payload are written.
   *
   * @throws RuntimeException if the memory must not be read any more
   */
  void checkReadable() {}

  long total() {
    return headerSize() + payload;
  }

  boolean isBegun() {
    return sent > 0;
  }

  @Override
  void clear() {
    super.clear();
    message.clear();
    payload = 0;
    sequence = 0;
    sent = 0;
    view = null;
    viewStart = 0;
  }
}
