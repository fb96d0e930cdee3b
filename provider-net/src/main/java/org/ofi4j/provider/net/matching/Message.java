// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * A message that came before a receive was posted for it. Its bytes are here, or on their way here,
 * or still in the connection, which is not read from then, or with a sender who has announced it.
 * Its tag and sender are in its key.
 */
final class Message extends Matchable implements Arrival {
  /** What it comes over. */
  interface Carrier extends Receive.Carrier {
    Link link();

    /** All of a message has come that is kept. */
    void whole(Message message, boolean acknowledged);

    /** A message that is kept will not come as a whole. */
    void brokeOff(Message message);

    /** A context is closed, whose receive may have claimed a message that is kept. */
    void without(Message message, Object closed);

    /** Gives the peer what a message owes it. */
    void answer(boolean acknowledged);

    /**
     * Reads on: the message that the connection was paused for, which is forgotten already, has a
     * receive.
     *
     * @param ready the same, if only that it is announced had come
     * @param to takes it; null if nobody wants it
     */
    void resume(@Nullable ReadyToSend ready, @Nullable Receive to);

    /** Reads on: there is room for the message that the connection was paused for. */
    void resume(Message message);
  }

  private static final MemorySegment NOTHING = MemorySegment.NULL;

  /** Where the bytes are. */
  enum State {
    /** On their way here. */
    ARRIVING,
    /** Here. */
    WHOLE,
    /** In the connection. */
    PAUSED,
    /** With the sender, who has announced it. */
    ANNOUNCED
  }

  private MemorySegment bytes = NOTHING;

  State state = State.WHOLE;
  boolean hasData;
  long payload;

  /** How many bytes count as kept for it: none of one that is only announced. */
  long room;

  /** What its bytes are in, if it is short; to be used again. */
  @Nullable MemorySegment block;

  /** How it gets here, if it is announced. */
  @Nullable ReadyToSend ready;

  /** Over which it comes; null once it is here. */
  @Nullable Carrier incoming;

  /** The receive that was posted for it while it was arriving. */
  @Nullable Receive claimant;

  /** Nobody wants it: it is forgotten when it has come. */
  boolean discarded;

  /** Who sent it; null once it is forgotten. */
  @Nullable Sender from;

  /** In which life of the sender it came. */
  int life;

  /** What it is meant for; null once it is forgotten. */
  @Nullable ReceiveContext into;

  /** To which endpoint it came, if several share the receives. */
  @Nullable ReceiveOutcomes outcomes;

  Sender sender() {
    Sender sender = from;
    if (sender == null) {
      throw new IllegalStateException("a message has a sender until it is forgotten");
    }
    return sender;
  }

  /** Says where the bytes go. */
  void keepIn(MemorySegment memory) {
    bytes = memory;
  }

  MemorySegment bytes() {
    return bytes;
  }

  @Override
  public long wanted(long length) {
    return length;
  }

  @Override
  public void take(MemorySegment source, long at, long length, long offset) {
    MemorySegment.copy(source, at, bytes, offset, length);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long wanted) {
    return null;
  }

  Carrier incoming() {
    return Objects.requireNonNull(incoming);
  }

  @Override
  public void whole(FrameHeader header) {
    incoming().whole(this, (header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0);
  }

  @Override
  public void unusable(Throwable failed) {
    throw new IllegalStateException("memory of our own cannot be written to", failed);
  }

  @Override
  public void brokeOff() {
    incoming().brokeOff(this);
  }

  @Override
  public Arrival without(Object closed) {
    incoming().without(this, closed);
    return this;
  }

  @Override
  public void clear() {
    super.clear();
    bytes = NOTHING;
    state = State.WHOLE;
    from = null;
    life = 0;
    into = null;
    outcomes = null;
    hasData = false;
    payload = 0;
    room = 0;
    block = null;
    ready = null;
    incoming = null;
    claimant = null;
    discarded = false;
  }
}
