package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A posted buffer, and which messages it takes. */
final class Receive extends Operation implements Arrival {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  private final ReceiveContext owner;
  MemorySegment buffer = NOTHING;

  boolean tagged;

  /** The tag that is wanted; bits that {@link #ignore} has do not count. */
  long wantedTag;

  long ignore;

  /** The only peer whose messages are taken, or null for all. */
  @Nullable Peer from;

  Receive(ReceiveContext owner) {
    this.owner = owner;
  }

  ReceiveContext owner() {
    return owner;
  }

  /** Whether it takes a message. */
  boolean takes(MatchKey message) {
    return tagged == message.tagged
        && ((message.tag ^ wantedTag) & ~ignore) == 0
        && (from == null || from == message.from);
  }

  @Override
  public long wanted(long payload) {
    return Math.min(payload, buffer.byteSize());
  }

  @Override
  public void take(MemorySegment source, long at, long length, long offset) {
    MemorySegment.copy(source, at, buffer, offset, length);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long wanted) {
    return buffer.isNative() ? buffer.asSlice(offset, wanted) : null;
  }

  @Override
  void clear() {
    super.clear();
    buffer = NOTHING;
    tagged = false;
    wantedTag = 0;
    ignore = 0;
    from = null;
  }
}
