// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/** A frame that is about the connection itself: a heartbeat, or one of those that close it. */
final class Signal extends Outgoing {
  private final int operation;
  private final long number;

  /**
   * A signal.
   *
   * @param number what a request to close says
   */
  Signal(int operation, long number) {
    this.operation = operation;
    this.number = number;
  }

  @Override
  int headerSize() {
    return operation == FrameHeader.CLOSE_REQUEST ? FrameHeader.NUMBERED_SIZE : FrameHeader.BASE;
  }

  @Override
  void encodeHeader(ByteBuffer into) {
    if (operation == FrameHeader.CLOSE_REQUEST) {
      FrameHeader.encodeNumbered(into, operation, sequence, number);
    } else {
      FrameHeader.encodeSignal(into, operation, sequence);
    }
  }
}
