// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/** Tells a peer that a message which it has announced may come. */
final class ClearToSend extends Outgoing {
  /** What the peer calls the message. */
  int number;

  @Override
  public int headerSize() {
    return FrameHeader.BASE;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeClearToSend(into, sequence, number);
  }
}
