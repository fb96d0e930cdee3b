// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Signal;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * How a connection is closed that nobody needs, so that nobody notices.
 *
 * <p>Who wants to close asks, with the number of bytes of frames that it has received, and sends
 * nothing but heartbeats from then on: what is posted waits. The other side answers with its last
 * frame, if it has sent just so many bytes, and nothing is under way; who has asked closes the
 * connection when that comes. Any other byte that comes voids the request. So nothing can be lost:
 * a message that crosses the request makes the numbers differ, which both sides find out, and who
 * answers knows that each has all that the other has ever sent. If requests cross, both answer.
 *
 * <p>Guarded by the lock of the endpoint.
 */
public final class IdleClosing {
  private enum Step {
    /** Frames go both ways. */
    NONE,
    /** We have asked. */
    ASKED,
    /** Our last frame is queued or out. */
    OVER
  }

  private final Link connection;
  private Step step = Step.NONE;

  // What had gone and come when we asked.
  private long writtenBefore;
  private long receivedBefore;

  // Bytes of frames that say nothing of the application.
  private long signals;

  // What else had come and gone when it was looked at last, and when it was seen to be more.
  private long trafficBefore;
  private long since;

  /** Creates the state of a connection that neither end has asked to close. */
  IdleClosing(Link connection) {
    this.connection = connection;
  }

  private void become(Step next) {
    step = next;
    connection.writer().silent(next != Step.NONE);
  }

  /** Whether nothing may be written but frames about the connection itself. */
  boolean isSilent() {
    return step != Step.NONE;
  }

  /** Whether its end is no loss. */
  boolean isOver() {
    return step == Step.OVER;
  }

  /** For how long nothing has come or gone but frames about the connection itself. */
  long idleFor(long now) {
    long traffic = connection.reader().received() + connection.writer().written() - signals;
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
    receivedBefore = connection.reader().received();
    if (signal(FrameHeader.CLOSE_REQUEST, receivedBefore)) {
      become(Step.ASKED);
    }
  }

  /** Gives a sign of life, unless the kernel has still to take what was written before. */
  void beat() throws IOException {
    signal(FrameHeader.HEARTBEAT, 0);
  }

  private boolean signal(int operation, long number) throws IOException {
    long before = connection.writer().written();
    boolean began =
        connection.writer().signal(new Signal().set(operation, number), connection.out());
    signals += connection.writer().written() - before;
    return began;
  }

  /** A frame about the connection itself has come. */
  public void came(FrameHeader header) throws IOException {
    boolean beats = header.operation() == FrameHeader.HEARTBEAT;
    if (header.payload() != 0
        || !(beats
            ? connection.agreement().hasHeartbeats()
            : connection.agreement().hasIdleClosing())) {
      throw new ProtocolException(
          beats
              ? "a heartbeat came that was not agreed on"
              : "a connection was to be closed without an agreement on that");
    }
    signals += header.size();
    if (header.operation() == FrameHeader.CLOSE_REQUEST) {
      requested(header.messageLength());
    } else if (header.operation() == FrameHeader.CLOSING) {
      if (step == Step.NONE) {
        throw new ProtocolException("a connection was to be closed, and nobody had asked");
      }
      become(Step.OVER);
      throw new ClosedIdleException();
    }
  }

  private void requested(long itReceived) {
    if (step == Step.ASKED && itReceived == writtenBefore) {
      // Ours has crossed it, and means the same there.
      queue(FrameHeader.CLOSING);
      become(Step.OVER);
    } else if (step != Step.OVER) {
      become(Step.NONE);
      // If it has still to receive something, that is all it needs to know.
      if (itReceived == connection.writer().written()) {
        answer();
      }
    }
  }

  private void answer() {
    if (connection.isAtRest()) {
      queue(FrameHeader.CLOSING);
      become(Step.OVER);
    } else {
      // Whatever comes now voids the request.
      queue(FrameHeader.HEARTBEAT);
    }
  }

  private void queue(int operation) {
    connection.writer().signal(operation, 0);
    signals += FrameHeader.BASE;
  }

  /**
   * Frames have come, or a part of one; unless it may be the answer, we are not silent any more.
   */
  void heard() {
    if (step == Step.ASKED
        && connection.reader().received() - receivedBefore > connection.reader().partial()) {
      become(Step.NONE);
    }
  }
}
