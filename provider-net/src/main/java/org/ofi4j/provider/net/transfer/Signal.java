// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/** A frame that is about the connection itself: a heartbeat, or one of those that close it. */
public final class Signal extends Outgoing {
  private final int operation;
  private final long number;

  /**
   * A signal.
   *
   * @param number what a request to close says
   */
  public Signal(int operation, long number) {
    this.operation = operation;
    this.number = number;
  }

  @Override
  public int headerSize() {
    return operation == FrameHeader.CLOSE_REQUEST ? FrameHeader.NUMBERED_SIZE : FrameHeader.BASE;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    if (operation == FrameHeader.CLOSE_REQUEST) {
      FrameHeader.encodeNumbered(into, operation, sequence, number);
    } else {
      FrameHeader.encodeSignal(into, operation, sequence);
    }
  }
}
