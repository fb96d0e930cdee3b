// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Frames that one connection is to send, as bytes. As many as fit are copied into a buffer that is
 * borrowed, and written together; a large message goes out from where it lies. What the kernel does
 * not take at once is written again from the operation itself, so nothing is kept here but a
 * position. For one thread at a time.
 */
public final class FrameWriter {
  // A peer has no other answer for an access that it refuses than to close the connection.
  private static final String REFUSED =
      "; if the peer refuses the access: look at key, rights and bounds of its memory region";

  private static final int FAILED = -1;

  private final SharedBounds bounds;
  private final Staging.Pool pool;
  private final OutgoingQueue queue = new OutgoingQueue();
  private final Operations<Send> unacknowledged = new Operations<>();

  // Reads whose request is out.
  private final Operations<Send> unanswered = new Operations<>();

  private int answers;

  // Large messages that were announced, or are about to be.
  private final AnnouncedMessages<Send> announced = new AnnouncedMessages<>();
  private final Operations<ClearToSend> idleClears = new Operations<>();

  private final Operations<RoomNotice> idleNotices = new Operations<>();

  // Bytes of messages that went out without being announced, the same with those that are encoded,
  // and how many may.
  private long eager;
  private long eagerEncoded;
  private long room = Long.MAX_VALUE;

  private final ByteBuffer[] gathered = new ByteBuffer[2];

  // What goes out from where it lies in the write that is under way.
  private @Nullable Outgoing viewed;

  private final OwedAcknowledgements acknowledgements = new OwedAcknowledgements();

  // Of the next frame that is begun, and of the next one that is encoded.
  private int sequence;
  private int number;

  // Bytes of all frames so far.
  private long written;

  // The kernel had no room at the last write.
  private boolean blocked;

  private ByteOrder order = ByteOrder.nativeOrder();

  // Whether large messages may be announced, and whether nothing may be written but signals.
  private boolean announcing;
  private boolean silent;

  /**
   * Writes nothing yet.
   *
   * @param bounds say which messages are announced
   */
  public FrameWriter(SharedBounds bounds, Staging.Pool pool) {
    this.bounds = bounds;
    this.pool = pool;
  }

  /**
   * Frames may go out.
   *
   * @param isAnnouncing whether large messages may be announced
   */
  public void open(ByteOrder itsOrder, boolean isAnnouncing) {
    order = itsOrder;
    announcing = isAnnouncing;
  }

  /** Whether nothing is written from now on but signals, and the rest of what has begun. */
  public void silent(boolean isSilent) {
    silent = isSilent;
  }

  public void add(Send send) {
    queue.add(send);
  }

  /** The peer wants a message that was announced to it. */
  public void cleared(int number) throws ProtocolException {
    Send send = announced.at(number);
    if (send == null || !send.isReadyToSend() || send.sent < send.total()) {
      throw new ProtocolException("a clear to send came for a message that was not announced");
    }
    send.cleared();
    // It is not behind those any more that were posted after it.
    queue.overtake(send);
  }

  /** Tells the peer that a message which it has announced may come. */
  public void clear(int number) {
    ClearToSend clear = idleClears.poll();
    if (clear == null) {
      clear = new ClearToSend();
    }
    clear.number = number;
    queue.overtake(clear);
  }

  /** The peer has room for so many bytes of messages before there are receives for them. */
  public void room(long bytes) {
    room = bytes;
  }

  /** Tells the peer how many bytes it may send before there are receives for them. */
  public void tellRoom(long bytes) {
    RoomNotice notice = idleNotices.poll();
    if (notice == null) {
      notice = new RoomNotice();
    }
    notice.bytes = bytes;
    queue.overtake(notice);
  }

  /**
   * Owes the peer an answer. It overtakes what is posted: two whose read requests wait for answers
   * could otherwise wait for each other.
   */
  public void answer(Answer answer) {
    queue.overtake(answer);
    answers++;
  }

  /** How many answers have not been written. */
  public int answers() {
    return answers;
  }

  /** The read that the next answer is for; null if none waits for one. */
  public @Nullable Send firstUnanswered() {
    return unanswered.first();
  }

  /** Takes the read that has its answer. */
  public void pollUnanswered() {
    unanswered.poll();
  }

  /** Owes the peer an acknowledgement. */
  public void acknowledge() {
    acknowledgements.add();
  }

  /** Whether something waits for room in the kernel. */
  public boolean isBlocked() {
    return blocked;
  }

  /** How many frames are queued. */
  public int queued() {
    return queue.size();
  }

  public boolean isIdle() {
    return queue.isEmpty() && acknowledgements.isEmpty();
  }

  /** How many bytes of frames were written so far. */
  public long written() {
    return written;
  }

  /** Whether the peer has something to answer that it has got as a whole. */
  public boolean isOwedAnAnswer() {
    return !unanswered.isEmpty() || !unacknowledged.isEmpty();
  }

  /** Whether nothing is on its way in either direction, as far as who writes knows. */
  public boolean isAtRest() {
    return !blocked && isIdle() && !isOwedAnAnswer() && announced.isEmpty();
  }

  /** Sends a signal before all that is posted. */
  public void add(Signal signal) {
    queue.overtake(signal);
  }

  /**
   * Writes a signal, unless the kernel has still to take what was written before.
   *
   * @return false if nothing of it is out
   */
  public boolean signal(Signal signal, GatheringByteChannel channel) throws IOException {
    Outgoing first = queue.first();
    if (blocked || (first != null && first.isBegun()) || acknowledgements.numbered() > 0) {
      return false;
    }
    Staging staging = pool.borrow();
    try {
      ByteBuffer out = staging.buffer.clear().order(order);
      signal.sequence = sequence;
      signal.encodeHeader(out);
      int count = channel.write(out.flip());
      if (count == 0) {
        return false;
      }
      written += count;
      signal.sent = count;
      if (count < signal.headerSize()) {
        queue.addBegun(signal);
        blocked = true;
      }
      sequence++;
      return true;
    } finally {
      pool.giveBack(staging);
    }
  }

  /** Whether no byte was ever written. */
  public boolean isUntouched() {
    Outgoing first = queue.first();
    return sequence == 0 && (first == null || !first.isBegun());
  }

  /** The first of the sends that wait for an acknowledgement has it. */
  public void acknowledged(FrameHeader header) throws ProtocolException {
    Send send = unacknowledged.poll();
    if (send == null || header.payload() != 0) {
      throw new ProtocolException("an acknowledgement came that nothing waits for");
    }
    send.owner().report(send);
  }

  /**
   * Writes as much as the kernel takes, within a bound.
   *
   * @return whether the kernel would take more
   */
  public boolean write(GatheringByteChannel channel) throws IOException {
    blocked = false;
    if (isIdle()) {
      return false;
    }
    Staging staging = pool.borrow();
    try {
      long total = 0;
      for (int writes = 0; !isIdle(); writes++) {
        if (writes == TcpLimits.WRITES || total >= TcpLimits.TURN_SIZE) {
          // Others want their turn.
          blocked = true;
          return true;
        }
        int queued = queue.size();
        ByteBuffer out = staging.buffer.clear().order(order);
        number = sequence;
        eagerEncoded = eager;
        int acks = fillAcknowledgements(out);
        ByteBuffer view = fillFrames(staging, out);
        long offered = out.flip().remaining();
        if (view == null && offered == 0) {
          if (queue.size() == queued) {
            // Requests that wait for answers to earlier ones, or for what becomes of the
            // connection.
            return false;
          }
          // What was queued has failed.
          continue;
        }
        offered += view == null ? 0 : view.remaining();
        long written = offer(channel, out, view);
        if (written == FAILED) {
          continue;
        }
        total += written;
        this.written += written;
        advance(written, acks);
        if (written < offered) {
          blocked = true;
          return false;
        }
      }
      return false;
    } finally {
      pool.giveBack(staging);
    }
  }

  /** How many bytes the kernel has taken; {@link #FAILED} if the message of the view has. */
  private long offer(GatheringByteChannel channel, ByteBuffer out, @Nullable ByteBuffer view)
      throws IOException {
    try {
      return write(channel, out, view);
    } catch (IOException failed) {
      if (view == null || !failViewed(failed)) {
        throw failed;
      }
      return FAILED;
    } catch (InternalError failed) {
      // Of TLS, which is in the middle of something: the connection cannot go on.
      if (view != null) {
        failViewed(failed);
      }
      throw new IOException("memory of a message faults: " + failed.getMessage(), failed);
    }
  }

  private long write(GatheringByteChannel channel, ByteBuffer out, @Nullable ByteBuffer view)
      throws IOException {
    if (view == null) {
      return channel.write(out);
    }
    if (!out.hasRemaining()) {
      return channel.write(view);
    }
    gathered[0] = out;
    gathered[1] = view;
    try {
      return channel.write(gathered, 0, 2);
    } finally {
      gathered[1] = out;
    }
  }

  /**
   * Fails a message that cannot be read from where it lies, as a mapped file that has become
   * shorter, so that nothing was written.
   *
   * @return false if it was not that, or some of the message is out: then the connection is lost
   */
  private boolean failViewed(Throwable failed) {
    if (NetworkErrors.of(failed) != Errno.EFAULT
        || !(viewed instanceof Send send)
        || send.isBegun()
        || send.isAnnounced()) {
      return false;
    }
    queue.remove(send);
    fail(send, failed);
    return true;
  }

  /** Acknowledgements stand between frames, before answers and those that wait. */
  private int fillAcknowledgements(ByteBuffer out) {
    Outgoing first = queue.first();
    if (acknowledgements.isEmpty() || (first != null && first.isBegun())) {
      return 0;
    }
    int count = acknowledgements.fill(out, number);
    number += count - acknowledgements.numbered();
    return count;
  }

  /** Frames, as far as there is room; and a view of a large message to end with. */
  private @Nullable ByteBuffer fillFrames(Staging staging, ByteBuffer out) throws IOException {
    Outgoing before = null;
    Outgoing frame = queue.first();
    int requests = unanswered.size();
    while (frame != null
        && (!silent || frame.isBegun() || frame instanceof Signal)
        && out.remaining() > FrameHeader.MAX
        && out.position() < Staging.SIZE - FrameHeader.MAX) {
      if (frame instanceof Send send) {
        boolean full = send.isRead() && requests++ >= TcpLimits.ANSWERS;
        if (!send.isBegun() && (full || !announce(send))) {
          // It waits, and what stands behind it too.
          return null;
        }
        if (!send.isBegun() && send.isEager()) {
          eagerEncoded += send.total();
        }
      }
      Outgoing following = queue.after(frame);
      int start = out.position();
      if (!frame.isBegun()) {
        frame.sequence = number;
      }
      number = frame.sequence + 1;
      int header = frame.fillHeader(out);
      long from = Math.max(0, frame.sent - header);
      long left = frame.payload - from;
      try {
        frame.checkReadable();
        while (left > 0) {
          long piece = frame.message.contiguous(from);
          if (piece > TcpLimits.COPY_SIZE && frame.isViewed(from, piece)) {
            viewed = frame;
            return frame.view(from, out.position());
          }
          int count = (int) Math.min(piece, out.remaining());
          frame.message.copyTo(staging.segment, out.position(), from, count);
          out.position(out.position() + count);
          if (count < piece) {
            return null;
          }
          from += count;
          left -= count;
        }
        before = frame;
      } catch (RuntimeException | InternalError unusable) {
        if (frame.isBegun() || !(frame instanceof Send send) || send.isAnnounced()) {
          throw new IOException(
              "the rest of a frame cannot be read any more: " + unusable, unusable);
        }
        out.position(start);
        queue.removeAfter(before, send);
        number = send.sequence;
        eagerEncoded -= send.isEager() ? send.total() : 0;
        fail(send, unusable);
      }
      frame = following;
    }
    return null;
  }

  /**
   * Has a message announced that is large, or for which the peer has no room; false if that must
   * wait, because too many are.
   */
  private boolean announce(Send send) {
    if (send.operation != FrameHeader.TAGGED
        || (send.payload <= bounds.announced() && send.total() <= room - eagerEncoded)
        || !announcing) {
      return true;
    }
    int number = announced.unused();
    if (number == 0) {
      return false;
    }
    send.announce(number);
    announced.put(number, send);
    return true;
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
      long out = Math.min(left, acknowledgements.bytes(acks));
      left -= out;
      sequence += acknowledgements.advance(out);
    }
    while (left > 0) {
      Outgoing frame = queue.first();
      if (frame == null) {
        return;
      }
      if (!frame.isBegun()) {
        sequence = frame.sequence + 1;
        eager += frame instanceof Send send && send.isEager() ? send.total() : 0;
      }
      long out = Math.min(left, frame.total() - frame.sent);
      frame.sent += out;
      left -= out;
      if (frame.sent == frame.total()) {
        queue.poll();
        end(frame);
      }
    }
  }

  private void end(Outgoing frame) {
    if (frame instanceof Answer answer) {
      answers--;
      answer.written();
    } else if (frame instanceof ClearToSend clear) {
      clear.clear();
      idleClears.add(clear);
    } else if (frame instanceof RoomNotice notice) {
      notice.clear();
      idleNotices.add(notice);
    } else if (frame instanceof Send send) {
      if (send.isAnnounced()) {
        announced.remove(send.number());
      }
      if (send.isReadyToSend()) {
        // It goes on when the peer says so.
        return;
      } else if (send.isRead()) {
        unanswered.add(send);
      } else if (send.isAcknowledged()) {
        unacknowledged.add(send);
      } else {
        send.owner().report(send);
      }
    }
  }

  /**
   * Takes out what a transmit context has posted that is closed, as far as nothing of it is out.
   *
   * @return whether something is out of a message of which the rest is not
   */
  public boolean withdraw(TransmitContext closed) {
    boolean begun = false;
    Outgoing before = null;
    Outgoing each = queue.first();
    while (each != null) {
      Outgoing following = queue.after(each);
      boolean its = each instanceof Send send && closed.equals(send.owner());
      if (its && !each.isBegun() && each instanceof Send send && !send.isAnnounced()) {
        announced.remove(send.number());
        queue.removeAfter(before, each);
      } else {
        begun |= its;
        before = each;
      }
      each = following;
    }
    return begun || announced.contains(send -> closed.equals(send.owner()));
  }

  /**
   * The connection is lost. Sends that had begun fail, because nobody knows how much of them the
   * peer has, as do reads that wait for an answer; the others are given back.
   */
  public void close(Operations<Send> untouched, Errno errno, String reason) {
    String refused = errno == Errno.ECONNRESET ? reason + REFUSED : reason;
    acknowledgements.clear();
    answers = 0;
    for (Send send = unanswered.poll(); send != null; send = unanswered.poll()) {
      send.owner().fail(send, errno, refused);
    }
    for (Send send = unacknowledged.poll(); send != null; send = unacknowledged.poll()) {
      send.owner().fail(send, errno, send.operation == FrameHeader.WRITE ? refused : reason);
    }
    for (Outgoing frame = queue.poll(); frame != null; frame = queue.poll()) {
      if (frame instanceof Answer answer) {
        answer.release();
        continue;
      }
      if (!(frame instanceof Send send)) {
        continue;
      }
      if (send.number() > 0) {
        announced.remove(send.number());
      }
      if (send.isBegun() || send.isAnnounced()) {
        send.owner().fail(send, errno, reason);
      } else {
        if (send.isReadyToSend()) {
          send.retract();
        }
        untouched.add(send);
      }
    }
    announced.removeAll(send -> send.owner().fail(send, errno, reason));
  }
}
