// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Frames that one connection is to send, as bytes. A write takes as many acknowledgements and
 * frames of the queue as fit, copied into a buffer that is borrowed, and a view of a large message
 * to end with, which goes out from where it lies. What the kernel does not take at once is encoded
 * again from the operation itself, so nothing is kept here but positions.
 *
 * <p>Acknowledgements are frames without content, which stand between others and count by their
 * order alone. So they are in no queue: nothing is kept of them but their number, and how much of
 * the first one is out. For one thread at a time.
 */
public final class FrameWriter {
  private static final int FAILED = -1;

  private final SharedBounds bounds;
  private final Staging.Pool pool;
  private final OutgoingQueue queue = new OutgoingQueue();
  // The sends that wait for an answer of the peer; null until the first.
  private @Nullable AwaitedAnswers awaited;
  private final Rendezvous rendezvous;

  // Answers to the peer that are queued.
  private int answers;

  // Acknowledgements that are owed, bytes of the first one that are out, and how many of them the
  // write at hand has.
  private int acknowledgements;
  private int acknowledgementBytes;
  private int encodedAcknowledgements;

  // Of the write at hand: what goes out from where it lies.
  private @Nullable Outgoing viewed;

  // Of the next frame that is begun.
  private int sequence;

  // Bytes of all frames so far.
  private long written;

  // The kernel had no room at the last write.
  private boolean blocked;

  private ByteOrder order = ByteOrder.nativeOrder();

  // Whether nothing may be written but frames about the connection itself.
  private boolean silent;

  /**
   * Writes nothing yet.
   *
   * @param bounds say which messages are announced, and how much is written at a time
   */
  public FrameWriter(SharedBounds bounds, Staging.Pool pool) {
    rendezvous = new Rendezvous(bounds);
    this.bounds = bounds;
    this.pool = pool;
  }

  /**
   * Frames may go out.
   *
   * @param isAnnouncing whether large messages may be announced
   * @param isOfi4j whether the peer is an endpoint of ofi4j, or a program on libfabric
   */
  public void open(ByteOrder itsOrder, boolean isAnnouncing, boolean isOfi4j) {
    order = itsOrder;
    rendezvous.open(isAnnouncing, isOfi4j);
  }

  /**
   * Whether nothing is written from now on but frames about the connection itself, and the rest of
   * what has begun.
   */
  public void silent(boolean isSilent) {
    silent = isSilent;
  }

  public boolean isSilent() {
    return silent;
  }

  public void add(Send send) {
    queue.add(send);
  }

  /** The peer wants a message that was announced to it. */
  public void cleared(int number) throws ProtocolException {
    // It is not behind those any more that were posted after it.
    queue.overtake(rendezvous.cleared(number));
  }

  /** Tells the peer that a message which it has announced may come. */
  public void clear(int number) {
    signal(FrameHeader.CLEAR_TO_SEND, number);
  }

  /** The peer has room for so many bytes of messages before there are receives for them. */
  public void room(long bytes) {
    rendezvous.room(bytes);
  }

  /** Tells the peer how many bytes it may send before there are receives for them. */
  public void tellRoom(long bytes) {
    signal(FrameHeader.ROOM, bytes);
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

  /** Returns the sends that wait for an answer of the peer. */
  public AwaitedAnswers awaited() {
    AwaitedAnswers present = awaited;
    if (present == null) {
      present = new AwaitedAnswers();
      awaited = present;
    }
    return present;
  }

  public void acknowledge() {
    acknowledgements++;
  }

  /** Whether something waits for room in the kernel. */
  public boolean isBlocked() {
    return blocked;
  }

  public int queued() {
    return queue.size();
  }

  public boolean isIdle() {
    return queue.isEmpty() && acknowledgements == 0;
  }

  /** How many bytes of frames were written so far. */
  public long written() {
    return written;
  }

  /** Whether the peer has something to answer that it has got as a whole. */
  public boolean isOwedAnAnswer() {
    return awaited != null && !awaited.isEmpty();
  }

  /** Whether nothing is on its way in either direction, as far as who writes knows. */
  public boolean isAtRest() {
    return !blocked && isIdle() && !isOwedAnAnswer() && rendezvous.isEmpty();
  }

  /** Sends a signal before all that is posted. */
  public void signal(int operation, long number) {
    queue.overtake(bounds.takeSignal().set(operation, number));
  }

  /**
   * Writes a signal, unless the kernel has still to take what was written before.
   *
   * @return false if nothing of it is out
   */
  public boolean signal(Signal signal, GatheringByteChannel channel) throws IOException {
    Outgoing first = queue.first();
    if (blocked || (first != null && first.isBegun()) || acknowledgementBytes > 0) {
      return false;
    }
    try (Staging staging = pool.borrow()) {
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
        queue.addAfter(null, signal);
        blocked = true;
      }
      sequence++;
      return true;
    }
  }

  /** Whether no byte was ever written. */
  public boolean isUntouched() {
    Outgoing first = queue.first();
    return sequence == 0 && (first == null || !first.isBegun());
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
    try (Staging staging = pool.borrow()) {
      long total = 0;
      long end = 0;
      for (int writes = 0; !isIdle(); writes++) {
        // Most turns are one write, which needs no clock.
        end = writes == 1 ? bounds.endOfTurn() : end;
        if (writes == TcpLimits.WRITES
            || total >= bounds.turnSize()
            || (writes > 1 && bounds.isOver(end))) {
          // Others want their turn.
          blocked = true;
          return true;
        }
        int queued = queue.size();
        ByteBuffer out = staging.buffer.clear().order(order);
        ByteBuffer view = fill(staging, out);
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
        long written = offer(channel, staging, view);
        if (written == FAILED) {
          continue;
        }
        total += written;
        this.written += written;
        advance(written);
        if (written < offered) {
          blocked = true;
          return false;
        }
      }
      return false;
    }
  }

  /**
   * Encodes what there is.
   *
   * @return what goes out behind the buffer, from where it lies; null if nothing does
   */
  private @Nullable ByteBuffer fill(Staging staging, ByteBuffer out) throws IOException {
    viewed = null;
    rendezvous.beginWrite();
    return fillFrames(staging, out, fillAcknowledgements(out));
  }

  /**
   * Acknowledgements stand between frames, before answers and those that wait. They leave half of
   * the buffer to others.
   *
   * @return the number of the first frame behind them that has none yet
   */
  private int fillAcknowledgements(ByteBuffer out) {
    Outgoing first = queue.first();
    encodedAcknowledgements = 0;
    if (acknowledgements == 0 || (first != null && first.isBegun())) {
      return sequence;
    }
    int count = Math.min(acknowledgements, out.remaining() / FrameHeader.BASE / 2);
    // One that is begun has its number already.
    int number = acknowledgementBytes > 0 ? sequence - 1 : sequence;
    for (int i = 0; i < count; i++) {
      FrameHeader.encodeBase(
          out, FrameHeader.MESSAGE, 0, FrameHeader.ACKNOWLEDGEMENT, number + i, 0);
    }
    if (acknowledgementBytes > 0) {
      int end = out.position();
      int limit = out.limit();
      out.position(acknowledgementBytes).limit(end).compact().limit(limit);
    }
    encodedAcknowledgements = count;
    return number + count;
  }

  /** Frames, as far as there is space; and a view of a large message to end with. */
  private @Nullable ByteBuffer fillFrames(Staging staging, ByteBuffer out, int first)
      throws IOException {
    Outgoing before = null;
    Outgoing frame = queue.first();
    int number = first;
    int requests = awaited == null ? 0 : awaited.reads();
    while (frame != null
        && (!silent
            || frame.isBegun()
            || (frame instanceof Signal signal && signal.isOfConnection()))
        && out.remaining() > FrameHeader.MAX) {
      if (frame instanceof Send send) {
        boolean full = send.isRead() && requests++ >= TcpLimits.ANSWERS;
        if (!send.isBegun() && (full || !rendezvous.encode(send))) {
          // It waits, and what stands behind it too.
          return null;
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
          long piece = frame.memory.contiguous(from);
          if (piece > TcpLimits.COPY_SIZE && frame.isViewed(from, piece)) {
            frame.checkUnchanged();
            viewed = frame;
            return frame.view(from, out.position());
          }
          int count = (int) Math.min(piece, out.remaining());
          frame.memory.copyTo(staging.segment, out.position(), from, count);
          out.position(out.position() + count);
          if (count < piece) {
            frame.checkUnchanged();
            return null;
          }
          from += count;
          left -= count;
        }
        frame.checkUnchanged();
        before = frame;
      } catch (RuntimeException | InternalError unusable) {
        if (frame.isBegun() || !(frame instanceof Send send) || send.isAnnounced()) {
          throw new IOException(
              "the rest of a frame cannot be read any more: " + unusable, unusable);
        }
        out.position(start);
        queue.removeAfter(before, send);
        number = send.sequence;
        rendezvous.failed(send);
        rendezvous.withdraw(send);
        fail(send, unusable);
      }
      frame = following;
    }
    return null;
  }

  /** A message cannot be read, and nothing of it is out. */
  private static void fail(Send send, Throwable unusable) {
    send.owner()
        .fail(
            send, NetworkErrors.of(unusable), "the message was not sent: " + unusable.getMessage());
  }

  /** How many bytes the kernel has taken; {@link #FAILED} if the message of the view has. */
  private long offer(GatheringByteChannel channel, Staging staging, @Nullable ByteBuffer view)
      throws IOException {
    try {
      return write(channel, staging, view);
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

  private static long write(
      GatheringByteChannel channel, Staging staging, @Nullable ByteBuffer view) throws IOException {
    ByteBuffer out = staging.buffer;
    if (view == null) {
      return channel.write(out);
    }
    if (!out.hasRemaining()) {
      return channel.write(view);
    }
    staging.pair[0] = out;
    staging.pair[1] = view;
    try {
      return channel.write(staging.pair, 0, 2);
    } finally {
      staging.pair[1] = out;
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

  /** Notes what the kernel has taken. */
  private void advance(long written) {
    long left = written;
    if (encodedAcknowledgements > 0) {
      int encoded = encodedAcknowledgements * FrameHeader.BASE - acknowledgementBytes;
      int out = (int) Math.min(left, encoded);
      left -= out;
      // One that is begun has its number already.
      int numbered = acknowledgementBytes > 0 ? 1 : 0;
      int all = acknowledgementBytes + out;
      acknowledgements -= all / FrameHeader.BASE;
      acknowledgementBytes = all % FrameHeader.BASE;
      sequence += (all + FrameHeader.BASE - 1) / FrameHeader.BASE - numbered;
    }
    while (left > 0) {
      Outgoing frame = queue.first();
      if (frame == null) {
        return;
      }
      boolean begun = frame.isBegun();
      if (!begun) {
        sequence = frame.sequence + 1;
        if (frame instanceof Send send) {
          rendezvous.begun(send);
        }
      }
      long out = Math.min(left, frame.total() - frame.sent);
      frame.sent += out;
      left -= out;
      if (frame.sent == frame.total()) {
        queue.poll();
        end(frame, begun);
      }
    }
  }

  /**
   * Ends a frame that is out.
   *
   * @param begun whether some of it was out before the last write
   */
  private void end(Outgoing frame, boolean begun) {
    if (frame instanceof Answer answer) {
      answers--;
      answer.written();
    } else if (frame instanceof Signal signal) {
      bounds.giveBack(signal);
    } else if (frame instanceof Send send) {
      rendezvous.ended(send);
      if (send.isReadyToSend()) {
        // It goes on when the peer says so.
        return;
      }
      send.checkWritten(begun);
      if (send.isRead() || send.isAcknowledged()) {
        awaited().add(send);
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
        rendezvous.withdraw(send);
        queue.removeAfter(before, each);
      } else {
        begun |= its;
        before = each;
      }
      each = following;
    }
    return begun || rendezvous.contains(send -> closed.equals(send.owner()));
  }

  /**
   * The connection is lost. Sends that had begun fail, because nobody knows how much of them the
   * peer has, as do reads that wait for an answer; the others are given back.
   */
  public void close(Operations<Send> untouched, Errno errno, String reason) {
    acknowledgements = 0;
    acknowledgementBytes = 0;
    answers = 0;
    if (awaited != null) {
      awaited.fail(errno, reason);
    }
    for (Outgoing frame = queue.poll(); frame != null; frame = queue.poll()) {
      if (frame instanceof Answer answer) {
        answer.release();
        continue;
      }
      if (!(frame instanceof Send send)) {
        continue;
      }
      rendezvous.withdraw(send);
      if (send.isBegun() || send.isAnnounced()) {
        send.owner().fail(send, errno, reason);
      } else {
        if (send.isReadyToSend()) {
          send.retract();
        }
        untouched.add(send);
      }
    }
    rendezvous.removeAll(send -> send.owner().fail(send, errno, reason));
  }
}
