// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;

/**
 * How a connection is closed that nobody needs, so that nobody notices.
 *
 * <p>Who wants to close asks, with the number of bytes of frames that it has received, and is silent
 * from then on: what is posted waits. The other side answers with its last frame, and closes, if it
 * has sent just so many bytes, and nothing is under way; who has asked closes when that comes. Any
 * other byte that comes voids the request. So nothing can be lost: a message that crosses the
 * request makes the numbers differ, which both sides find out, and an answer means that each has
 * all that the other will ever have sent. If requests cross, each is the other's answer.
 *
 * <p>Guarded by the lock of the endpoint.
 */
final class IdleClosing {
  private enum Step {
    /** Frames go both ways. */
    NONE,
    /** We have asked. */
    ASKED,
    /** Nothing more goes over it; at most the rest of what says so. */
    OVER
  }

  private final Connection connection;
  private Step step = Step.NONE;

  // What had gone and come when we asked.
  private long writtenBefore;
  private long receivedBefore;

  // Bytes of frames that say nothing of the application.
  private long signals;

  // What else had come and gone when it was looked at last, and when it was seen to be more.
  private long trafficBefore;
  private long since;

  IdleClosing(Connection connection) {
    this.connection = connection;
  }

  /** Whether nothing may be written but the rest of a frame. */
  boolean isSilent() {
    return step != Step.NONE;
  }

  /** Whether its end is no loss. */
  boolean isOver() {
    return step == Step.OVER;
  }

  /**
   * For how long nothing has come or gone but signals.
   *
   * @param now the time
   */
  long idleFor(long now) {
    long traffic = connection.received + connection.writer().written() - signals;
    if (traffic != trafficBefore) {
      trafficBefore = traffic;
      since = now;
    }
    return now - since;
  }

  /** The connection is open, or was asked for: it is not idle before the time has passed again. */
  void begin(long now) {
    since = now;
  }

  /** Asks whether the connection may be closed, unless something is under way. */
  void ask() throws IOException {
    if (step != Step.NONE || !connection.agreement().hasIdleClosing() || !connection.isAtRest()) {
      return;
    }
    writtenBefore = connection.writer().written();
    receivedBefore = connection.received;
    if (signal(FrameHeader.CLOSE_REQUEST, receivedBefore)) {
      step = Step.ASKED;
    }
  }

  /** Gives a sign of life. */
  void beat() throws IOException {
    signal(FrameHeader.HEARTBEAT, 0);
  }

  private boolean signal(int operation, long number) throws IOException {
    FrameWriter writer = connection.writer();
    long before = writer.written();
    boolean out = writer.signal(new Signal(operation, number), connection.out());
    signals += writer.written() - before;
    return out;
  }

  /** A signal has come. */
  void came(FrameHeader header) throws IOException {
    boolean beats = header.operation() == FrameHeader.HEARTBEAT;
    Agreement agreement = connection.agreement();
    if (header.payload() != 0
        || !(beats ? agreement.hasHeartbeats() : agreement.hasIdleClosing())) {
      throw new ProtocolException(
          beats
              ? "a heartbeat came that was not agreed on"
              : "a connection was to be closed without an agreement on that");
    }
    signals += header.size();
    if (header.operation() == FrameHeader.CLOSE_REQUEST) {
      requested(header.messageLength());
    } else if (header.operation() == FrameHeader.CLOSING) {
      if (step != Step.ASKED) {
        throw new ProtocolException("a connection was to be closed, and nobody had asked");
      }
      end();
    }
  }

  private void requested(long itReceived) throws IOException {
    if (step == Step.ASKED && itReceived == writtenBefore) {
      // Ours has crossed it, and says the same there.
      end();
    } else if (step != Step.OVER) {
      goOn();
      // If it has still to receive something, that is all it needs to know.
      if (itReceived == connection.writer().written()) {
        answer();
      }
    }
  }

  private void answer() throws IOException {
    if (!connection.isAtRest()) {
      // Whatever comes now voids the request.
      beat();
    } else if (signal(FrameHeader.CLOSING, 0)) {
      end();
    }
  }

  /** Closes the connection; if the peer has still to hear of that, when the peer does. */
  private void end() throws ClosedIdleException {
    step = Step.OVER;
    if (!connection.writer().isWithinFrame() && !connection.hasUnsent()) {
      throw new ClosedIdleException();
    }
  }

  /** Frames have come, or a part of one; unless it may be the answer, we are not silent any more. */
  void heard() {
    if (step == Step.ASKED
        && connection.received - receivedBefore > connection.reader().partial()) {
      goOn();
    }
  }

  private void goOn() {
    step = Step.NONE;
  }
}
