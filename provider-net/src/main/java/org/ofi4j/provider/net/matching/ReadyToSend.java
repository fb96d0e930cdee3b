// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * A large message that a peer has announced: its bytes come when we say that there is a receive for
 * them, and go there.
 */
final class ReadyToSend implements Arrival {
  /** What the peer calls it; unique among those of the connection. */
  final int number;

  /** Over which it comes. */
  final Message.Carrier incoming;

  final long length;

  // Whether the peer wants to know when it is in memory.
  private final boolean acknowledged;

  /** What stands for it as long as no receive takes it. */
  @Nullable Message message;

  // Whether the peer knows that the bytes may come; and where they go, if anybody wants them.
  private boolean cleared;
  private @Nullable Receive to;

  ReadyToSend(Message.Carrier incoming, FrameHeader header) {
    this.incoming = incoming;
    number = header.number();
    length = header.messageLength();
    acknowledged = (header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0;
  }

  /**
   * Lets the bytes come; they are not written yet.
   *
   * @param target where they go; null if nobody wants them
   */
  void clear(@Nullable Receive target) {
    message = null;
    to = target;
    cleared = true;
    incoming.link().writer().clear(number);
  }

  boolean isCleared() {
    return cleared;
  }

  @Override
  public long wanted(long payload) {
    return to == null ? 0 : to.wanted(payload);
  }

  @Override
  public void take(MemorySegment from, long at, long bytes, long offset) {
    if (to != null) {
      to.take(from, at, bytes, offset);
    }
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long bytes) {
    return to == null ? null : to.rest(offset, bytes);
  }

  @Override
  public void checkWritable() {
    if (to != null) {
      to.checkWritable();
    }
  }

  @Override
  public void whole(FrameHeader header) {
    if (to == null) {
      incoming.answer(acknowledged);
    } else {
      incoming.whole(to, length, acknowledged);
    }
  }

  @Override
  public void unusable(Throwable failed) throws ProtocolException {
    if (to != null) {
      incoming.unusable(to, failed);
    }
    if (acknowledged) {
      // Acknowledging it would be a lie, and acknowledgements count by their order alone.
      throw new ProtocolException("a message that was to be acknowledged could not be kept");
    }
  }

  @Override
  public void brokeOff() {
    if (to != null) {
      incoming.brokeOff(to);
    }
  }

  @Override
  public Arrival without(Object closed) {
    if (to != null && closed.equals(to.owner())) {
      to = null;
    }
    return this;
  }

  /** It will not come any more. */
  void lost() {
    if (message != null) {
      incoming.brokeOff(message);
    } else {
      brokeOff();
    }
  }
}
