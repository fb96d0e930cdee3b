// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/** Tells a peer how many bytes of messages it may send before there are receives for them. */
final class RoomNotice extends Outgoing {
  /** Counted from the first message of the connection on. */
  long bytes;

  @Override
  public int headerSize() {
    return FrameHeader.NUMBERED_SIZE;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeNumbered(into, FrameHeader.ROOM, sequence, bytes);
  }
}
