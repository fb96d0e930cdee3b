// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * A message that came before a receive was posted for it. Its bytes are here, or on their way here,
 * or still in the connection, which is not read from then, or with a sender who has announced it.
 * Its tag and sender are in its key.
 */
final class Message extends Matchable implements Arrival {
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

  private static final MemorySegment NOTHING = MemorySegment.NULL;

  final MatchKey key = new MatchKey();

  /** The place of its bytes. */
  MemorySegment bytes = NOTHING;

  State state = State.WHOLE;
  boolean hasData;
  long payload;

  /** How many bytes count as kept for it: none of one that is only announced. */
  long room;

  /** How it gets here, if it is announced. */
  IncomingMessages.@Nullable Announced ready;

  /** Over which it comes; null once it is here. */
  @Nullable IncomingMessages incoming;

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
    return Objects.requireNonNull(from);
  }

  @Override
  public long wanted(long length) {
    return length;
  }

  @Override
  public void take(MemorySegment source, long at, long length, long offset) {
    MemorySegment.copy(source, at, bytes, offset, length);
  }

  IncomingMessages incoming() {
    return Objects.requireNonNull(incoming);
  }

  @Override
  public void whole(FrameHeader header) {
    IncomingMessages over = incoming();
    over.matching.whole(this);
    over.answer(header);
  }

  @Override
  public void unusable(Throwable failed) {
    throw new IllegalStateException("memory of our own cannot be written to", failed);
  }

  @Override
  public void brokeOff() {
    incoming().matching.lose(this);
  }

  @Override
  public Arrival without(Object closed) {
    incoming().matching.without(this, closed);
    return this;
  }

  @Override
  public void clear() {
    super.clear();
    key.clear();
    bytes = NOTHING;
    state = State.WHOLE;
    from = null;
    life = 0;
    into = null;
    outcomes = null;
    hasData = false;
    payload = 0;
    room = 0;
    ready = null;
    incoming = null;
    claimant = null;
    discarded = false;
  }
}
