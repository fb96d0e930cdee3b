// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.ByteBuffer;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * A frame without payload that is not posted: a heartbeat, one of those that close a connection or
 * move it into shared memory, a clear to send, or how much room there is.
 */
public final class Signal extends Outgoing {
  private int operation;
  private long number;

  /**
   * Becomes a signal.
   *
   * @param itsNumber what a request to close says; which message may come; how many bytes of
   *     messages, from the first of the connection on; or the name of the memory
   */
  public Signal set(int itsOperation, long itsNumber) {
    operation = itsOperation;
    number = itsNumber;
    return this;
  }

  /** Whether it is about the connection itself, and goes while nothing else may. */
  boolean isOfConnection() {
    return switch (operation) {
      case FrameHeader.HEARTBEAT, FrameHeader.CLOSE_REQUEST, FrameHeader.CLOSING -> true;
      default -> false;
    };
  }

  private boolean isNumbered() {
    return operation == FrameHeader.CLOSE_REQUEST
        || operation == FrameHeader.ROOM
        || operation == FrameHeader.MEMORY_OFFER;
  }

  @Override
  public int headerSize() {
    return isNumbered() ? FrameHeader.NUMBERED_SIZE : FrameHeader.BASE;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    if (isNumbered()) {
      FrameHeader.encodeNumbered(into, operation, sequence, number);
    } else {
      FrameHeader.encodeBase(into, operation, 0, (int) number, sequence, 0);
    }
  }
}
