// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * The bytes of one connection as frames. Reads as much as there is into a buffer that is borrowed,
 * and keeps nothing there: payload goes where it belongs, the beginning of a header is copied. Only
 * a connection that is parked, because the payload of its frame has nowhere to go, keeps the buffer
 * with what follows. For one thread at a time.
 */
final class FrameReader {
  /** Instead of a count: nothing was read, because the memory cannot be written to. */
  private static final int UNUSABLE = -2;

  private final Connection connection;
  private final FrameHandler handler;
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

  // Of a parked connection: bytes from parkedAt to parkedEnd; and whether it is parked between two
  // frames, not before the payload of one.
  private @Nullable Staging parked;
  private boolean betweenFrames;
  private int parkedAt;
  private int parkedEnd;

  FrameReader(Connection connection, FrameHandler handler, Staging.Pool pool) {
    this.connection = connection;
    this.handler = handler;
    this.pool = pool;
  }

  /** Whether there is more to come of a frame. */
  boolean isInPayload() {
    return inPayload;
  }

  boolean isParked() {
    return parked != null;
  }

  /**
   * Reads what is there, within a bound.
   *
   * @return how many bytes came; -1 at the end of the stream
   */
  long read(ReadableByteChannel channel) throws IOException {
    long total = 0;
    if (parked != null) {
      return 0;
    }
    Staging staging = pool.borrow();
    boolean kept = false;
    try {
      for (int i = 0; i < TcpLimits.READS && total < TcpLimits.TURN_SIZE && !kept; i++) {
        ByteBuffer into = rest();
        boolean straight = into != null;
        if (into == null) {
          into = staging.buffer.clear();
          if (partialLength > 0) {
            into.put(partial, 0, partialLength);
          }
          if (expectsLong && !inPayload) {
            into.limit(TcpLimits.FIRST_READ);
          }
        }
        int count = straight ? readStraight(channel, into) : channel.read(into);
        if (count == UNUSABLE) {
          continue;
        }
        if (count < 0) {
          return -1;
        }
        total += count;
        boolean drained = into.hasRemaining();
        if (straight) {
          into.limit(into.capacity());
          advance(count);
          kept = holdsUp(staging, 0, 0);
        } else {
          partialLength = 0;
          kept = !parse(staging, 0, into.position());
        }
        if (drained || (straight && !inPayload)) {
          break;
        }
      }
      return total;
    } finally {
      if (!kept) {
        pool.giveBack(staging);
      }
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
        handler.unusable(connection, to, failed);
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
      into.limit(Math.min(into.capacity(), into.position() + TcpLimits.CALL_SIZE));
      return channel.read(into);
    } catch (RuntimeException | IOException | InternalError failed) {
      if (failed instanceof IOException lost && NetworkErrors.of(lost) != Errno.EFAULT) {
        throw lost;
      }
      arrival = null;
      direct = null;
      handler.unusable(connection, to, failed);
      if (failed instanceof InternalError) {
        // Of TLS, which has lost what it was to write there: the connection cannot go on.
        throw new IOException("memory of a receive faults: " + failed.getMessage(), failed);
      }
      return UNUSABLE;
    }
  }

  private void advance(int count) throws ProtocolException {
    offset += count;
    if (offset == payload) {
      endPayload();
    }
  }

  /**
   * Goes through bytes that were read.
   *
   * @return false if the connection is parked now, and has kept the buffer
   */
  private boolean parse(Staging staging, int from, int end) throws ProtocolException {
    ByteBuffer bytes = staging.buffer.order(connection.order());
    boolean words = connection.agreement().hasWords();
    int at = from;
    while (true) {
      if (inPayload) {
        int count = (int) Math.min(end - at, payload - offset);
        deliver(staging.segment, at, count);
        at += count;
        offset += count;
        if (offset < payload) {
          return true;
        }
        endPayload();
        if (holdsUp(staging, at, end)) {
          return false;
        }
      }
      int size = header.decode(bytes, at, end - at, words);
      if (size == FrameHeader.MALFORMED) {
        throw new ProtocolException("what came is no frame");
      }
      if (size == 0) {
        partialLength = end - at;
        bytes.get(at, partial, 0, partialLength);
        return true;
      }
      at += size;
      if (header.isAcknowledgement()) {
        connection.acknowledged(header);
      } else {
        if (header.word() != DeliveryWord.NONE) {
          connection.agreement().check(header.word());
        }
        Arrival to = handler.begin(connection, header);
        if (to == null) {
          parked = staging;
          parkedAt = at;
          parkedEnd = end;
          return false;
        }
        beginPayload(to);
      }
    }
  }

  /** Parks the connection, with the bytes that follow, if what came last must be done first. */
  private boolean holdsUp(Staging staging, int from, int end) {
    if (inPayload || connection.parkedFor != Connection.Shortage.COMMITS) {
      return false;
    }
    betweenFrames = true;
    parked = staging;
    parkedAt = from;
    parkedEnd = end;
    return true;
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
        handler.unusable(connection, to, failed);
      }
    }
  }

  private void endPayload() throws ProtocolException {
    Arrival to = arrival;
    inPayload = false;
    arrival = null;
    direct = null;
    connection.moderation.whole();
    if (to != null) {
      handler.whole(connection, header, to);
    } else if ((header.flags() & FrameHeader.ACKNOWLEDGED) != 0) {
      // Acknowledging it would be a lie, and acknowledgements count by their order alone.
      throw new ProtocolException("a message that was to be acknowledged could not be kept");
    }
  }

  /**
   * Goes on with a connection that was parked.
   *
   * @param given where the payload of the frame goes that it was parked for; null to ask for that
   *     again
   */
  void resume(@Nullable Arrival given) throws ProtocolException {
    boolean begun = betweenFrames;
    Arrival to = given == null && !begun ? handler.begin(connection, header) : given;
    if (to == null && !begun) {
      return;
    }
    Staging staging = parked;
    if (staging != null) {
      parked = null;
      betweenFrames = false;
      if (to != null) {
        beginPayload(to);
      }
      try {
        parse(staging, parkedAt, parkedEnd);
      } finally {
        if (parked == null) {
          pool.giveBack(staging);
        }
      }
    }
  }

  /**
   * Sends the rest of the payload that is on its way elsewhere.
   *
   * @param chosen whether it is one that is to go elsewhere
   */
  void redirect(Predicate<Arrival> chosen, Arrival elsewhere) {
    Arrival to = arrival;
    if (inPayload && to != null && chosen.test(to)) {
      direct = null;
      wanted = offset + elsewhere.wanted(payload - offset);
      if (to instanceof Announcement announcement) {
        announcement.redirect(elsewhere);
      } else {
        arrival = elsewhere;
      }
    }
  }

  /**
   * The endpoint is closed, but shares its receives with others: those that something was on its
   * way to are theirs again.
   */
  void giveBack() {
    Arrival to = arrival;
    if (inPayload && (to instanceof Matchable || to instanceof Announcement)) {
      arrival = null;
      handler.brokeOff(connection, to);
    }
    handler.dropped(connection);
  }

  /** The connection is closed; says so, for the payload that was on its way too. */
  void close() {
    Arrival to = arrival;
    arrival = null;
    direct = null;
    Staging staging = parked;
    if (staging != null) {
      parked = null;
      betweenFrames = false;
      pool.giveBack(staging);
    }
    if (inPayload && to != null) {
      handler.brokeOff(connection, to);
    }
    inPayload = false;
    handler.dropped(connection);
  }
}
