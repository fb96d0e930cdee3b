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
 * and keeps nothing there: a {@link FrameHandler} says with each header where the payload goes, an
 * {@link Arrival}, and the payload goes there; the beginning of a header is copied. When a
 * connection is paused, because the payload of its frame has nowhere to go, what was read behind
 * that is copied, too; if connections keep much already, no more than a header is read at a time.
 *
 * <p>Between two frames a connection needs nothing but positions: the {@link Frame} is borrowed
 * from those of the endpoint for as long as a part of one has come. For one thread at a time.
 */
public final class FrameReader {
  /** The part of a frame that comes next, or the reason for a pause. */
  private enum State {
    /** A header, of which a part may have come. */
    HEADER,
    /** The remaining bytes of a payload. */
    PAYLOAD,
    /** Nothing: the payload of the last header has no place yet. */
    WITHOUT_PLACE,
    /** Nothing: the last payload is being brought to a file. */
    COMMITTING
  }

  /** A frame of which a part has come. */
  static final class Frame {
    final FrameHeader header = new FrameHeader();

    /** The bytes of an incomplete header that have arrived. */
    final byte[] partial = new byte[FrameHeader.MAX];

    int partialLength;

    // Of the payload: where it goes, how long it is, how much of it is wanted, and how much has
    // come.
    @Nullable Arrival arrival;
    long payload;
    long wanted;
    long offset;

    /** The memory of the application that the payload is read into straight; null without any. */
    @Nullable ByteBuffer direct;
  }

  /** Instead of a count: nothing was read, because the memory cannot be written to. */
  private static final int UNUSABLE = -2;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final FrameHandler handler;
  private final SharedBounds bounds;
  private final Staging.Pool pool;
  // The frame that is being read; null between two frames, except inside of a read.
  private @Nullable Frame frame;
  // Whether bytes are being gone through: what is read then belongs behind them.
  private boolean parsing;
  private State state = State.HEADER;
  private boolean expectsLong;

  // The bytes of the last frame that was a message, if it was short; 0 if it was none.
  private int messageSize;

  // Whether the next one has been left in the socket since a time; and whether that must not be.
  private boolean waits;
  private boolean readsAll;
  private long waitsSince;

  // The bytes that were read behind a pause, from its position to its limit.
  private ByteBuffer kept = NOTHING;

  // Whether the end of the stream follows what was kept.
  private boolean atEnd;

  private Shortage shortage = Shortage.NOTHING;
  private ByteOrder order = ByteOrder.nativeOrder();
  private Agreement agreement = Agreement.NONE;
  // Whether frames may carry delivery words.
  private boolean words;

  // Bytes that have come.
  private long received;

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
    words = agreed.hasWords();
  }

  /** How many bytes have come so far. */
  public long received() {
    return received;
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
    return state == State.PAYLOAD;
  }

  /** How many bytes of a header have come that is not whole. */
  public int partial() {
    Frame present = frame;
    return present == null ? 0 : present.partialLength;
  }

  public boolean isPaused() {
    return state == State.WITHOUT_PLACE || state == State.COMMITTING;
  }

  /**
   * Returns whether the caller is called by this reader, in the middle of bytes that were read.
   * Then {@link #read} reads nothing.
   */
  public boolean isParsing() {
    return parsing;
  }

  /**
   * Reads what is there, within a bound.
   *
   * @return how many bytes came; -1 at the end of the stream
   */
  public long read(ReadableByteChannel channel) throws IOException {
    if (isPaused() || parsing || waitsForReceives()) {
      return 0;
    }
    Frame reading = begin();
    parsing = true;
    try (Staging staging = pool.borrow()) {
      return read(channel, staging, reading);
    } finally {
      parsing = false;
      end(reading);
    }
  }

  /** Sets whether everything is read that there is, for a connection that is about to be lost. */
  public void readAll(boolean all) {
    readsAll = all;
  }

  /**
   * Returns whether to leave what there is in the socket for a moment: messages follow each other,
   * no receive is posted, and the application has posted some lately, so it is about to post more.
   */
  private boolean waitsForReceives() {
    if (readsAll || messageSize == 0 || isInPayload() || handler.receives() > 0) {
      waits = false;
      return false;
    }
    long now = bounds.now();
    if (!waits) {
      waits = true;
      waitsSince = now;
    }
    // There may be other frames behind the messages, and the end of the stream.
    waits =
        now - bounds.postedAt(handler.posts(), now) < TcpLimits.RECEIVE_PAUSE
            && now - waitsSince < TcpLimits.LONGEST_RECEIVE_PAUSE;
    return waits;
  }

  private Frame begin() {
    Frame present = frame;
    if (present == null) {
      present = bounds.takeFrame();
      frame = present;
    }
    return present;
  }

  /** Gives the frame back, unless a part of one has come. */
  private void end(Frame read) {
    if (state == State.HEADER && read.partialLength == 0 && read.equals(frame)) {
      frame = null;
      bounds.giveBack(read);
    }
  }

  private long read(ReadableByteChannel channel, Staging staging, Frame reading)
      throws IOException {
    long total = 0;
    long end = 0;
    for (int i = 0; i < TcpLimits.READS && total < bounds.turnSize() && goesOn(reading); i++) {
      // Most turns are one read, which needs no clock.
      end = i == 1 ? bounds.endOfTurn() : end;
      if (i > 1 && bounds.isOver(end)) {
        break;
      }
      ByteBuffer into = rest(reading);
      boolean straight = into != null;
      boolean more = false;
      if (into == null) {
        into = staging.buffer.clear();
        into.put(reading.partial, 0, reading.partialLength);
        more = limit(into, reading);
      }
      int count = straight ? readStraight(channel, into, reading) : channel.read(into);
      if (count == UNUSABLE) {
        continue;
      }
      if (count < 0) {
        return -1;
      }
      total += count;
      received += count;
      boolean drained = into.hasRemaining() || more;
      if (straight) {
        into.limit(into.capacity());
        reading.offset += count;
        if (reading.offset == reading.payload) {
          endPayload(reading);
        }
        holdsUp(NOTHING, 0, 0);
      } else {
        reading.partialLength = 0;
        parse(reading, into, staging.segment, 0, into.position());
      }
      if (drained || (straight && !isInPayload())) {
        break;
      }
    }
    return total;
  }

  /** Returns whether the connection is neither paused nor lost, as a handler may have done. */
  private boolean goesOn(Frame reading) {
    return !isPaused() && reading.equals(frame);
  }

  /** Whether the end of the stream was read while the connection was paused. */
  public boolean isAtEnd() {
    return atEnd;
  }

  /** Whether a paused connection may keep more bytes of what follows its frame. */
  public boolean canReadAhead() {
    return isPaused() && !atEnd && aheadLimit() > kept.remaining();
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

  /**
   * Leaves in the socket what there would be nothing to do with but keeping it.
   *
   * @return whether the remaining bytes wait there for the next turn
   */
  private boolean limit(ByteBuffer into, Frame reading) {
    if (bounds.keepsMuch()) {
      // What is there of a header is shorter than the longest one.
      long some = isInPayload() ? reading.payload - reading.offset : FrameHeader.MAX;
      into.limit((int) Math.min(into.capacity(), some));
    } else if (expectsLong && !isInPayload()) {
      into.limit(TcpLimits.FIRST_READ);
    } else if (messageSize > 0 && !readsAll) {
      // A message that is read before its receive is posted is copied twice.
      long some = (long) messageSize * handler.receives();
      into.limit(Math.clamp(some, TcpLimits.FIRST_READ, into.capacity()));
      return into.limit() < into.capacity();
    }
    return false;
  }

  /** The memory that the rest of the payload goes to, if that is worth a call of its own. */
  private @Nullable ByteBuffer rest(Frame reading) throws ProtocolException {
    Arrival to = reading.arrival;
    long left = reading.wanted - reading.offset;
    if (!isInPayload() || to == null || left < TcpLimits.DIRECT_READ) {
      return null;
    }
    ByteBuffer view = reading.direct;
    if (view == null || !view.hasRemaining()) {
      try {
        MemorySegment rest = to.rest(reading.offset, Math.min(left, TcpLimits.VIEW_SIZE));
        view = rest == null ? null : rest.asByteBuffer();
      } catch (RuntimeException failed) {
        reading.arrival = null;
        view = null;
        to.unusable(failed);
      }
      reading.direct = view;
    }
    return view;
  }

  /** Reads into an application's memory, which may be gone by now. */
  private int readStraight(ReadableByteChannel channel, ByteBuffer into, Frame reading)
      throws IOException {
    Arrival to = reading.arrival;
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
      reading.arrival = null;
      reading.direct = null;
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

  /** Goes through bytes that were read, to their end or until the connection is paused. */
  private void parse(Frame reading, ByteBuffer bytes, MemorySegment memory, int from, int end)
      throws IOException {
    bytes.order(order);
    FrameHeader header = reading.header;
    int at = from;
    // A handler may find the connection lost; then the remaining bytes are of no use.
    while (reading.equals(frame)) {
      if (isInPayload()) {
        int count = (int) Math.min(end - at, reading.payload - reading.offset);
        deliver(reading, memory, at, count);
        at += count;
        reading.offset += count;
        if (reading.offset < reading.payload) {
          return;
        }
        endPayload(reading);
        if (!goesOn(reading) || holdsUp(bytes, at, end)) {
          return;
        }
      }
      int size = header.decode(bytes, at, end - at, words);
      if (size <= 0) {
        if (size == FrameHeader.MALFORMED) {
          throw new ProtocolException("what came is no frame");
        }
        reading.partialLength = end - at;
        bytes.get(at, reading.partial, 0, reading.partialLength);
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
          pause(State.WITHOUT_PLACE, bytes, at, end);
          return;
        }
        beginPayload(reading, to);
      }
    }
  }

  /** Pauses the connection, with the bytes that follow, if what came last must be done first. */
  private boolean holdsUp(ByteBuffer bytes, int from, int end) {
    if (isInPayload() || shortage != Shortage.COMMITS) {
      return false;
    }
    pause(State.COMMITTING, bytes, from, end);
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // the buffer itself, whatever is in it
  private void pause(State why, ByteBuffer bytes, int from, int end) {
    int length = end - from;
    if (bytes == kept && 2 * length > kept.capacity()) {
      kept.position(from);
    } else {
      keep(length == 0 ? NOTHING : ByteBuffer.allocate(length).put(0, bytes, from, length));
    }
    state = why;
  }

  private void keep(ByteBuffer bytes) {
    bounds.keeps(bytes.capacity() - kept.capacity());
    kept = bytes;
  }

  private void beginPayload(Frame reading, Arrival to) {
    long payload = reading.header.payload();
    state = State.PAYLOAD;
    expectsLong = payload >= TcpLimits.LONG_MESSAGE;
    boolean isMessage = reading.header.operation() <= FrameHeader.TAGGED && !expectsLong;
    messageSize = isMessage ? (int) reading.header.size() : 0;
    reading.arrival = to;
    reading.payload = payload;
    reading.wanted = to.wanted(payload);
    reading.offset = 0;
  }

  private static void deliver(Frame reading, MemorySegment from, int at, int count)
      throws ProtocolException {
    Arrival to = reading.arrival;
    long useful = Math.min(count, reading.wanted - reading.offset);
    if (to != null && useful > 0) {
      try {
        to.take(from, at, useful, reading.offset);
      } catch (RuntimeException | InternalError failed) {
        reading.arrival = null;
        to.unusable(failed);
      }
    }
  }

  private void endPayload(Frame reading) throws ProtocolException {
    Arrival to = reading.arrival;
    state = State.HEADER;
    reading.arrival = null;
    reading.direct = null;
    if (to != null) {
      to.whole(reading.header);
    } else if ((reading.header.flags() & FrameHeader.ACKNOWLEDGED) != 0) {
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
    Frame reading = frame;
    if (!isPaused() || reading == null) {
      return;
    }
    Arrival to = given;
    if (state == State.WITHOUT_PLACE && to == null) {
      to = handler.begin(reading.header);
      if (to == null || !isPaused()) {
        return;
      }
    }
    state = State.HEADER;
    if (to != null) {
      beginPayload(reading, to);
    }
    MemorySegment memory = MemorySegment.ofBuffer(kept.duplicate().clear());
    parsing = true;
    try {
      parse(reading, kept, memory, kept.position(), kept.limit());
    } finally {
      parsing = false;
    }
    if (!isPaused()) {
      keep(NOTHING);
    }
    end(reading);
  }

  /** A context is closed: what is on its way to it goes nowhere, now and later. */
  public void withdraw(Object closed) {
    Frame reading = frame;
    Arrival to = reading == null ? null : reading.arrival;
    if (isInPayload() && reading != null && to != null) {
      Arrival instead = to.without(closed);
      reading.direct = null;
      reading.arrival = instead;
      reading.wanted =
          Math.min(
              reading.wanted, reading.offset + instead.wanted(reading.payload - reading.offset));
    }
    handler.withdraw(closed);
  }

  /**
   * The endpoint is closed, but shares its receives with others: those that something was on its
   * way to are theirs again.
   */
  public void giveBack() {
    breakOff();
    handler.dropped();
  }

  /** The connection is closed; says so, for the payload that was on its way too. */
  public void close() {
    keep(NOTHING);
    breakOff();
    state = State.HEADER;
    // It may still be in use by a caller that goes through bytes, so no other reader gets it.
    frame = null;
    handler.dropped();
  }

  private void breakOff() {
    Frame reading = frame;
    Arrival to = reading == null ? null : reading.arrival;
    if (reading != null && to != null) {
      reading.arrival = null;
      reading.direct = null;
      if (isInPayload()) {
        to.brokeOff();
      }
    }
  }
}
