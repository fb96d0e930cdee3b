// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * A large message that a peer has announced: its bytes come when we say that there is a receive for
 * them, and go there.
 */
public final class ReadyToSend implements Arrival {
  /** What the peer calls it; unique among those of the connection. */
  final int number;

  /** Over which it comes. */
  final Link link;

  /** How long it is. */
  public final long length;

  /** Whether the peer wants to know when it is in memory. */
  public final boolean acknowledged;

  /** What stands for it as long as no receive takes it. */
  @Nullable Message message;

  /** Where its bytes go; null as long as the peer does not know that they may come. */
  private @Nullable Arrival to;

  ReadyToSend(Link link, FrameHeader header) {
    this.link = link;
    number = header.number();
    length = header.messageLength();
    acknowledged = (header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0;
  }

  /** Lets the bytes come. */
  void clear(Arrival target) {
    message = null;
    to = target;
    link.writer().clear(number);
  }

  @Override
  public boolean redirect(Arrival elsewhere) {
    to = elsewhere;
    return true;
  }

  @Override
  public boolean takesMessage() {
    return true;
  }

  /** Where its bytes go, or null if they may not come yet. */
  public @Nullable Arrival target() {
    return to;
  }

  private Arrival present() {
    Arrival target = to;
    if (target == null) {
      throw new IllegalStateException("nobody has asked for the message");
    }
    return target;
  }

  @Override
  public long wanted(long payload) {
    return present().wanted(payload);
  }

  @Override
  public void take(MemorySegment from, long at, long bytes, long offset) {
    present().take(from, at, bytes, offset);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long bytes) {
    return present().rest(offset, bytes);
  }

  @Override
  public void checkWritable() {
    present().checkWritable();
  }
}
