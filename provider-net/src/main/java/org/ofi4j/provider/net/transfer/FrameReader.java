// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The bytes of one connection as frames. Reads as much as there is into a buffer that is borrowed,
 * and keeps nothing there: payload goes where it belongs, the beginning of a header is copied. When
 * a connection is paused, because the payload of its frame has nowhere to go, what was read behind
 * that is copied, too; if connections keep much already, no more than a header is read at a time.
 * For one thread at a time.
 */
public final class FrameReader {
  /** Instead of a count: nothing was read, because the memory cannot be written to. */
  private static final int UNUSABLE = -2;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final FrameHandler handler;
  private final SharedBounds bounds;
  private final Staging.Pool pool;
  private final FrameHeader header = new FrameHeader();
  private final byte[] partial = new byte[FrameHeader.MAX];
  private int partialLength;

  // The frame whose payload is being read.
  private boolean inPayload;
  private @Nullable Arrival arrival;
  private long payload;
  private long wanted;
  private long offset;
  private @Nullable ByteBuffer direct;
  private boolean expectsLong;

  // Whether it is paused, and that between two frames, not before the payload of one; and what was
  // read behind that, from its position to its limit.
  private boolean paused;
  private boolean betweenFrames;
  private ByteBuffer kept = NOTHING;

  // Whether the end of the stream follows what was kept.
  private boolean atEnd;

  private Shortage shortage = Shortage.NOTHING;
  private ByteOrder order = ByteOrder.nativeOrder();
  private Agreement agreement = Agreement.NONE;

  // Bytes that have come.
  private long received;

  // Frames of which all has come, since that was last asked.
  private int ended;

  /**
   * Reads nothing yet.
   *
   * @param bounds count what all connections of the endpoint keep, and say how much is read at a
   *     time
   */
  public FrameReader(FrameHandler handler, SharedBounds bounds, Staging.Pool pool) {
    this.handler = handler;
    this.bounds = bounds;
    this.pool = pool;
  }

  /** Frames may come, in a byte order, with what was agreed on. */
  public void open(ByteOrder itsOrder, Agreement agreed) {
    order = itsOrder;
    agreement = agreed;
  }

  /** How many bytes have come so far. */
  public long received() {
    return received;
  }

  /** How many frames have ended since this was last asked. */
  public int pollEnded() {
    int since = ended;
    ended = 0;
    return since;
  }

  /** What it is paused for, if it is not for a message. */
  public Shortage shortage() {
    return shortage;
  }

  public void lacks(Shortage what) {
    shortage = what;
  }

  /** Whether there is more to come of a frame. */
  public boolean isInPayload() {
    return inPayload;
  }

  /** How many bytes of a header have come that is not whole. */
  public int partial() {
    return partialLength;
  }

  public boolean isPaused() {
    return paused;
  }

  /**
   * Reads what is there, within a bound.
   *
   * @return how many bytes came; -1 at the end of the stream
   */
  public long read(ReadableByteChannel channel) throws IOException {
    long total = 0;
    if (paused) {
      return 0;
    }
    long end = 0;
    try (Staging staging = pool.borrow()) {
      for (int i = 0; i < TcpLimits.READS && total < bounds.turnSize() && !paused; i++) {
        // Most turns are one read, which needs no clock.
        end = i == 1 ? bounds.endOfTurn() : end;
        if (i > 1 && bounds.isOver(end)) {
          break;
        }
        ByteBuffer into = rest();
        boolean straight = into != null;
        if (into == null) {
          into = staging.buffer.clear();
          if (partialLength > 0) {
            into.put(partial, 0, partialLength);
          }
          limit(into);
        }
        int count = straight ? readStraight(channel, into) : channel.read(into);
        if (count == UNUSABLE) {
          continue;
        }
        if (count < 0) {
          return -1;
        }
        total += count;
        received += count;
        boolean drained = into.hasRemaining();
        if (straight) {
          into.limit(into.capacity());
          advance(count);
          holdsUp(NOTHING, 0, 0);
        } else {
          partialLength = 0;
          parse(into, staging.segment, 0, into.position());
        }
        if (drained || (straight && !inPayload)) {
          break;
        }
      }
      return total;
    }
  }

  /** Whether the end of the stream was read while the connection was paused. */
  public boolean isAtEnd() {
    return atEnd;
  }

  /** Whether a paused connection may keep more bytes of what follows its frame. */
  public boolean canReadAhead() {
    return paused && !atEnd && aheadLimit() > kept.remaining();
  }

  private int aheadLimit() {
    return bounds.keepsMuch() ? FrameHeader.MAX : TcpLimits.READ_AHEAD;
  }

  /**
   * Reads on behind the frame that the connection is paused for, within a bound, and keeps what
   * comes: the end of the stream can be noticed in no other way.
   *
   * @return how many bytes came; none at the end of the stream, or if no more may be kept
   */
  public int readAhead(ReadableByteChannel channel) throws IOException {
    if (!canReadAhead()) {
      return 0;
    }
    int length = kept.remaining();
    try (Staging staging = pool.borrow()) {
      ByteBuffer into = staging.buffer.clear();
      into.limit(Math.min(into.capacity(), aheadLimit() - length));
      int count = channel.read(into);
      atEnd = count < 0;
      if (count > 0) {
        received += count;
        ByteBuffer longer = ByteBuffer.allocate(length + count);
        longer.put(kept.duplicate()).put(into.flip());
        keep(longer.flip());
      }
      return Math.max(count, 0);
    }
  }

  /** Leaves in the socket what there would be nothing to do with but keeping it. */
  private void limit(ByteBuffer into) {
    if (bounds.keepsMuch()) {
      // What is there of a header is shorter than the longest one.
      long some = inPayload ? payload - offset : FrameHeader.MAX;
      into.limit((int) Math.min(into.capacity(), some));
    } else if (expectsLong && !inPayload) {
      into.limit(TcpLimits.FIRST_READ);
    }
  }

  /** The memory that the rest of the payload goes to, if that is worth a call of its own. */
  private @Nullable ByteBuffer rest() throws ProtocolException {
    Arrival to = arrival;
    if (!inPayload || to == null || wanted - offset < TcpLimits.DIRECT_READ) {
      return null;
    }
    ByteBuffer view = direct;
    if (view == null || !view.hasRemaining()) {
      try {
        MemorySegment rest = to.rest(offset, Math.min(wanted - offset, TcpLimits.VIEW_SIZE));
        view = rest == null ? null : rest.asByteBuffer();
      } catch (RuntimeException failed) {
        arrival = null;
        view = null;
        to.unusable(failed);
      }
      direct = view;
    }
    return view;
  }

  /** Reads into an application's memory, which may be gone by now. */
  private int readStraight(ReadableByteChannel channel, ByteBuffer into) throws IOException {
    Arrival to = arrival;
    if (to == null) {
      return UNUSABLE;
    }
    try {
      to.checkWritable();
      into.limit(Math.min(into.capacity(), into.position() + callSize()));
      return channel.read(into);
    } catch (RuntimeException | IOException | InternalError failed) {
      if (failed instanceof IOException lost && NetworkErrors.of(lost) != Errno.EFAULT) {
        throw lost;
      }
      arrival = null;
      direct = null;
      to.unusable(failed);
      if (failed instanceof InternalError) {
        // Of TLS, which has lost what it was to write there: the connection cannot go on.
        throw new IOException("memory of a receive faults: " + failed.getMessage(), failed);
      }
      return UNUSABLE;
    }
  }

  /** How much one call of the kernel's reads, which is not more than a turn. */
  private int callSize() {
    return (int) Math.min(TcpLimits.CALL_SIZE, bounds.turnSize());
  }

  private void advance(int count) throws ProtocolException {
    offset += count;
    if (offset == payload) {
      endPayload();
    }
  }

  /** Goes through bytes that were read, to their end or until the connection is paused. */
  private void parse(ByteBuffer bytes, MemorySegment memory, int from, int end) throws IOException {
    bytes.order(order);
    boolean words = agreement.hasWords();
    int at = from;
    while (true) {
      if (inPayload) {
        int count = (int) Math.min(end - at, payload - offset);
        deliver(memory, at, count);
        at += count;
        offset += count;
        if (offset < payload) {
          return;
        }
        endPayload();
        if (holdsUp(bytes, at, end)) {
          return;
        }
      }
      int size = header.decode(bytes, at, end - at, words);
      if (size == FrameHeader.MALFORMED) {
        throw new ProtocolException("what came is no frame");
      }
      if (size == 0) {
        partialLength = end - at;
        bytes.get(at, partial, 0, partialLength);
        return;
      }
      at += size;
      if (header.isAcknowledgement()) {
        handler.acknowledged(header);
      } else if (header.operation() >= FrameHeader.HEARTBEAT) {
        handler.signal(header);
      } else {
        if (header.word() != DeliveryWord.NONE) {
          agreement.check(header.word());
        }
        Arrival to = handler.begin(header);
        if (to == null) {
          pause(bytes, at, end);
          return;
        }
        beginPayload(to);
      }
    }
  }

  /** Pauses the connection, with the bytes that follow, if what came last must be done first. */
  private boolean holdsUp(ByteBuffer bytes, int from, int end) {
    if (inPayload || shortage != Shortage.COMMITS) {
      return false;
    }
    pause(bytes, from, end);
    betweenFrames = true;
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // the buffer itself, whatever is in it
  private void pause(ByteBuffer bytes, int from, int end) {
    int length = end - from;
    if (bytes == kept && 2 * length > kept.capacity()) {
      kept.position(from);
    } else {
      keep(length == 0 ? NOTHING : ByteBuffer.allocate(length).put(0, bytes, from, length));
    }
    paused = true;
  }

  private void keep(ByteBuffer bytes) {
    bounds.keeps(bytes.capacity() - kept.capacity());
    kept = bytes;
  }

  private void beginPayload(Arrival to) {
    inPayload = true;
    arrival = to;
    payload = header.payload();
    expectsLong = payload >= TcpLimits.LONG_MESSAGE;
    wanted = to.wanted(payload);
    offset = 0;
  }

  private void deliver(MemorySegment from, int at, int count) throws ProtocolException {
    Arrival to = arrival;
    long useful = Math.min(count, wanted - offset);
    if (to != null && useful > 0) {
      try {
        to.take(from, at, useful, offset);
      } catch (RuntimeException | InternalError failed) {
        arrival = null;
        to.unusable(failed);
      }
    }
  }

  private void endPayload() throws ProtocolException {
    Arrival to = arrival;
    inPayload = false;
    arrival = null;
    direct = null;
    ended++;
    if (to != null) {
      to.whole(header);
    } else if ((header.flags() & FrameHeader.ACKNOWLEDGED) != 0) {
      // Acknowledging it would be a lie, and acknowledgements count by their order alone.
      throw new ProtocolException("a message that was to be acknowledged could not be kept");
    }
  }

  /**
   * Goes on with a connection that was paused.
   *
   * @param given where the payload of the frame goes that it was paused for; null to ask for that
   *     again
   */
  public void resume(@Nullable Arrival given) throws IOException {
    shortage = Shortage.NOTHING;
    boolean begun = betweenFrames;
    Arrival to = given == null && !begun ? handler.begin(header) : given;
    if (to == null && !begun) {
      return;
    }
    if (paused) {
      paused = false;
      betweenFrames = false;
      if (to != null) {
        beginPayload(to);
      }
      parse(kept, MemorySegment.ofBuffer(kept.duplicate().clear()), kept.position(), kept.limit());
      if (!paused) {
        keep(NOTHING);
      }
    }
  }

  /** A context is closed: what is on its way to it goes nowhere, now and later. */
  public void withdraw(Object closed) {
    Arrival to = arrival;
    if (inPayload && to != null) {
      direct = null;
      arrival = to.without(closed);
      wanted = Math.min(wanted, offset + arrival.wanted(payload - offset));
    }
    handler.withdraw(closed);
  }

  /**
   * The endpoint is closed, but shares its receives with others: those that something was on its
   * way to are theirs again.
   */
  public void giveBack() {
    Arrival to = arrival;
    if (inPayload && to != null) {
      arrival = null;
      to.brokeOff();
    }
    handler.dropped();
  }

  /** The connection is closed; says so, for the payload that was on its way too. */
  public void close() {
    Arrival to = arrival;
    arrival = null;
    direct = null;
    paused = false;
    betweenFrames = false;
    keep(NOTHING);
    if (inPayload && to != null) {
      to.brokeOff();
    }
    inPayload = false;
    handler.dropped();
  }
}
