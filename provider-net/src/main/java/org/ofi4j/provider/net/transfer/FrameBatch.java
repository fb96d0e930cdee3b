// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The bytes of one write: as many acknowledgements and frames of a queue as fit into a buffer, and
 * a view of a large message to end with. What it encodes stays in the queue. For one thread at a
 * time.
 */
final class FrameBatch {
  private final OutgoingQueue queue;
  private final OwedAcknowledgements acknowledgements;
  private final Rendezvous rendezvous;
  private final AwaitedAnswers awaited;

  // Of the next frame that is encoded.
  private int number;

  // How many acknowledgements were encoded, and what goes out from where it lies.
  private int acknowledged;
  private @Nullable Outgoing viewed;

  FrameBatch(
      OutgoingQueue queue,
      OwedAcknowledgements acknowledgements,
      Rendezvous rendezvous,
      AwaitedAnswers awaited) {
    this.queue = queue;
    this.acknowledgements = acknowledgements;
    this.rendezvous = rendezvous;
    this.awaited = awaited;
  }

  /**
   * Encodes what there is, in the order of the buffer's bytes.
   *
   * @param sequence of the first frame that was not begun
   * @param silent whether nothing is encoded but frames about the connection itself, and the rest
   *     of what has begun
   * @return what goes out behind the buffer, from where it lies; null if nothing does
   */
  @Nullable ByteBuffer fill(Staging staging, int sequence, boolean silent) throws IOException {
    ByteBuffer out = staging.buffer;
    number = sequence;
    viewed = null;
    rendezvous.beginWrite();
    acknowledged = fillAcknowledgements(out);
    return fillFrames(staging, out, silent);
  }

  /** How many acknowledgements are among what was encoded last. */
  int acknowledged() {
    return acknowledged;
  }

  /** What the view is of that was encoded last. */
  @Nullable Outgoing viewed() {
    return viewed;
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
  private @Nullable ByteBuffer fillFrames(Staging staging, ByteBuffer out, boolean silent)
      throws IOException {
    Outgoing before = null;
    Outgoing frame = queue.first();
    int requests = awaited.reads();
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
          long piece = frame.message.contiguous(from);
          if (piece > TcpLimits.COPY_SIZE && frame.isViewed(from, piece)) {
            frame.checkUnchanged();
            viewed = frame;
            return frame.view(from, out.position());
          }
          int count = (int) Math.min(piece, out.remaining());
          frame.message.copyTo(staging.segment, out.position(), from, count);
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
  static void fail(Send send, Throwable unusable) {
    send.owner()
        .fail(
            send, NetworkErrors.of(unusable), "the message was not sent: " + unusable.getMessage());
  }
}
