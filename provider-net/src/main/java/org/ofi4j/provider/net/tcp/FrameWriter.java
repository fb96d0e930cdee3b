package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.PostedMemory;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * Frames that one connection is to send, as bytes. As many as fit are copied into a buffer that is
 * borrowed, and written together; a large message goes out from where it lies. What the kernel does
 * not take at once is written again from the operation itself, so nothing is kept here but a
 * position. For one thread at a time.
 */
final class FrameWriter {
  private final Connection connection;
  private final Staging.Pool pool;
  private final Operations<Send> queue = new Operations<>();
  private final Operations<Send> unacknowledged = new Operations<>();
  private final ByteBuffer[] gathered = new ByteBuffer[2];

  // Acknowledgements owed, of the first of which so many bytes are out.
  private int acknowledgements;
  private int acknowledged;

  // Of the next frame that is begun, and of the next one that is encoded.
  private int sequence;
  private int number;

  // The kernel had no room at the last write.
  private boolean blocked;

  FrameWriter(Connection connection, Staging.Pool pool) {
    this.connection = connection;
    this.pool = pool;
  }

  void add(Send send) {
    queue.add(send);
  }

  void addAll(Operations<Send> sends) {
    queue.takeAll(sends);
  }

  /** Owes the peer an acknowledgement. */
  void acknowledge() {
    acknowledgements++;
  }

  /** Whether something waits for room in the kernel. */
  boolean isBlocked() {
    return blocked;
  }

  boolean isIdle() {
    return queue.isEmpty() && acknowledgements == 0;
  }

  /** Whether no byte was ever written. */
  boolean isUntouched() {
    Send first = queue.first();
    return sequence == 0 && (first == null || !first.isBegun());
  }

  /** Takes the send that an acknowledgement is about; null if none waits for one. */
  @Nullable Send pollUnacknowledged() {
    return unacknowledged.poll();
  }

  /** Writes as much as the kernel takes. */
  void write(GatheringByteChannel channel) throws IOException {
    blocked = false;
    if (isIdle()) {
      return;
    }
    Staging staging = pool.borrow();
    try {
      while (!isIdle()) {
        ByteBuffer out = staging.buffer.clear().order(connection.order());
        number = sequence;
        int acks = fillAcknowledgements(out);
        ByteBuffer view = fillSends(staging, out);
        long offered = out.flip().remaining();
        long written;
        if (view == null) {
          if (offered == 0) {
            // What was queued has failed.
            continue;
          }
          written = channel.write(out);
        } else {
          offered += view.remaining();
          gathered[0] = out;
          gathered[1] = view;
          written = channel.write(gathered, 0, 2);
          gathered[1] = out;
        }
        advance(written, acks);
        if (written < offered) {
          blocked = true;
          return;
        }
      }
    } finally {
      pool.giveBack(staging);
    }
  }

  /** Acknowledgements stand between frames, before those that wait. */
  private int fillAcknowledgements(ByteBuffer out) {
    Send first = queue.first();
    if (acknowledgements == 0 || (first != null && first.isBegun())) {
      return 0;
    }
    int count = Math.min(acknowledgements, out.remaining() / FrameHeader.BASE / 2);
    if (acknowledged > 0) {
      number--;
    }
    for (int i = 0; i < count; i++) {
      FrameHeader.encodeAcknowledgement(out, number++);
    }
    if (acknowledged > 0) {
      int end = out.position();
      out.position(acknowledged).limit(end).compact();
    }
    return count;
  }

  /** Frames of sends, as far as there is room; and a view of a large message to end with. */
  private @Nullable ByteBuffer fillSends(Staging staging, ByteBuffer out) throws IOException {
    Send before = null;
    Send send = queue.first();
    while (send != null && out.remaining() > FrameHeader.MAX) {
      Send following = queue.after(send);
      int start = out.position();
      if (!send.isBegun()) {
        send.sequence = number;
      }
      number = send.sequence + 1;
      int header = fillHeader(send, out);
      long from = Math.max(0, send.sent - header);
      long left = send.payload - from;
      try {
        while (left > 0) {
          long piece = send.message.contiguous(from);
          if (piece > TcpLimits.COPY_SIZE && send.message.at(from).isNative()) {
            return view(send, from);
          }
          int count = (int) Math.min(piece, out.remaining());
          send.message.copyTo(staging.segment, out.position(), from, count);
          out.position(out.position() + count);
          if (count < piece) {
            return null;
          }
          from += count;
          left -= count;
        }
        before = send;
      } catch (RuntimeException | InternalError unusable) {
        if (send.isBegun()) {
          throw new IOException(
              "the rest of a message cannot be read any more: " + unusable, unusable);
        }
        out.position(start);
        queue.removeAfter(before, send);
        number = send.sequence;
        fail(send, unusable);
      }
      send = following;
    }
    return null;
  }

  private static int fillHeader(Send send, ByteBuffer out) {
    int header = send.headerSize();
    if (send.sent < header) {
      int start = out.position();
      send.encodeHeader(out);
      if (send.isBegun()) {
        // It is the first in the buffer.
        int end = out.position();
        int gone = (int) send.sent;
        out.position(start + gone).limit(end).compact();
      }
    }
    return header;
  }

  private static ByteBuffer view(Send send, long from) {
    ByteBuffer view = send.view;
    if (view == null || from - send.viewStart >= view.capacity()) {
      MemorySegment piece = send.message.at(from);
      long size = Math.min(send.message.contiguous(from), TcpLimits.VIEW_SIZE);
      String refusal = PostedMemory.refusal(piece, Thread.currentThread());
      if (refusal != null) {
        throw new IllegalStateException("the message " + refusal);
      }
      view = piece.asSlice(from - send.message.start(), size).asByteBuffer();
      send.view = view;
      send.viewStart = from;
    }
    return view.position((int) (from - send.viewStart));
  }

  private static void fail(Send send, Throwable unusable) {
    send.owner()
        .fail(
            send, NetworkErrors.of(unusable), "the message was not sent: " + unusable.getMessage());
  }

  /** Notes what the kernel has taken. */
  private void advance(long written, int acks) {
    long left = written;
    if (acks > 0) {
      long out = Math.min(left, (long) acks * FrameHeader.BASE - acknowledged);
      left -= out;
      long all = acknowledged + out;
      int whole = (int) (all / FrameHeader.BASE);
      int rest = (int) (all % FrameHeader.BASE);
      sequence += whole + (rest > 0 ? 1 : 0) - (acknowledged > 0 ? 1 : 0);
      acknowledgements -= whole;
      acknowledged = rest;
    }
    while (left > 0) {
      Send send = queue.first();
      if (send == null) {
        return;
      }
      if (!send.isBegun()) {
        sequence = send.sequence + 1;
      }
      long out = Math.min(left, send.total() - send.sent);
      send.sent += out;
      left -= out;
      if (send.sent == send.total()) {
        queue.poll();
        end(send);
      }
    }
  }

  private void end(Send send) {
    if ((send.frameFlags & FrameHeader.DELIVERY_COMPLETE) != 0) {
      unacknowledged.add(send);
    } else {
      send.owner().report(send);
    }
  }

  /**
   * The connection is lost. Sends that had begun fail, because nobody knows how much of them the
   * peer has; the others are given back.
   */
  void close(Operations<Send> untouched, Errno errno, String reason) {
    acknowledgements = 0;
    for (Send send = unacknowledged.poll(); send != null; send = unacknowledged.poll()) {
      send.owner().fail(send, errno, reason);
    }
    for (Send send = queue.poll(); send != null; send = queue.poll()) {
      if (send.isBegun()) {
        send.owner().fail(send, errno, reason);
      } else {
        untouched.add(send);
      }
    }
  }
}
