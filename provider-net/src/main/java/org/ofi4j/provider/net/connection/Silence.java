// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.ScheduledFuture;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.FrameReader;
import org.ofi4j.provider.net.transfer.FrameWriter;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Finds connections whose peer gives no sign of life, and gives signs to those who want them. It
 * looks at all of them several times within the time that they may be silent, and compares what has
 * come and gone with the last look: so traffic itself pays nothing for it.
 *
 * <p>A peer with which heartbeats are agreed on is lost when nothing has come for that time. Others
 * say nothing as long as they have nothing to say: such a peer is lost when it owes an answer, and
 * for that time neither has anything come from it nor has it taken anything.
 *
 * <p>A connection that is paused, because nothing takes its message, is read ahead of a little. It
 * is lost when its stream has ended, and no receive has taken the message for that time. If more is
 * there than may be read ahead, its end shows in the kernel's list of connections, or when a
 * heartbeat cannot be written, and the loss of its host when no heartbeat is acknowledged.
 *
 * <p>Guarded by the lock of the endpoint.
 */
public final class Silence {
  /** How often connections are looked at within the time that they may be silent. */
  private static final int LOOKS = 4;

  private final long timeout;
  private final ConnectionOwner owner;
  private final FrameMover mover;
  private final @Nullable Runnable beat;
  private final EstablishedSockets established = new EstablishedSockets();
  private long listedAt;
  private long pause;
  private long next = Long.MAX_VALUE;
  private @Nullable ScheduledFuture<?> beating;

  /**
   * Looks at no connection yet.
   *
   * @param timeout how long a connection may be silent, in nanoseconds
   * @param beat has {@link #beat} called for each connection, from a thread that does not move
   *     data; null if whoever moves data never sleeps for longer than it says
   */
  public Silence(long timeout, ConnectionOwner owner, @Nullable Runnable beat) {
    this.timeout = timeout;
    this.owner = owner;
    mover = owner.mover;
    this.beat = beat;
    pause = timeout / LOOKS;
    listedAt = owner.now();
  }

  /** In what time an endpoint wants to hear something, in milliseconds. */
  public static int heartbeat(long timeout) {
    return (int) Math.min(timeout / LOOKS / 1_000_000, ExtensionBlock.MAX_HEARTBEAT);
  }

  /**
   * A connection is open.
   *
   * @return when {@link #isDue} is to be asked
   */
  public long opened(Connection connection) {
    long now = owner.now();
    connection.heardAt = now;
    long wanted = connection.agreement().heartbeat() * 1_000_000L;
    boolean sooner = wanted > 0 && wanted < pause;
    if (sooner) {
      pause = Math.max(wanted, TcpLimits.SHORTEST_HEARTBEAT);
    }
    if (sooner || next == Long.MAX_VALUE) {
      next = now + pause;
    }
    if (beat != null && wanted > 0 && (sooner || beating == null)) {
      close();
      beating = HeartbeatThread.every(pause, beat);
    }
    return next;
  }

  /** Whether all connections are to be looked at now. */
  public boolean isDue(long now) {
    if (now < next) {
      return false;
    }
    next = now + pause;
    if (now - listedAt >= timeout / LOOKS) {
      // Not at each look: a peer that wants heartbeats often must not have the list read often.
      listedAt = now;
      established.forget();
    }
    return true;
  }

  /** When it is due; {@link Long#MAX_VALUE} for never. */
  public long next() {
    return next;
  }

  /** Looks at an open connection: gives a sign if the peer wants some, and looks for its own. */
  public void look(Connection connection, long now) {
    FrameWriter writer = connection.writer();
    boolean agreed = connection.agreement().hasHeartbeats();
    boolean heard = connection.reader().received() != connection.receivedBefore;
    if (!agreed) {
      heard |= writer.written() != connection.writtenBefore || !writer.isOwedAnAnswer();
      connection.writtenBefore = writer.written();
    } else {
      beat(connection);
    }
    FrameReader reader = connection.reader();
    if (reader.isPaused() && connection.isOpen()) {
      try {
        heard = isHeardBehindPause(connection, agreed);
      } catch (IOException closed) {
        connection.lost(closed);
      }
    }
    connection.receivedBefore = reader.received();
    if (!connection.isOpen()) {
      return;
    }
    if (heard) {
      connection.heardAt = now;
    } else if (now - connection.heardAt >= timeout) {
      if (reader.isAtEnd() || (reader.isPaused() && !reader.canReadAhead())) {
        connection.lost(new EOFException("the peer has closed it"));
        return;
      }
      // Where nobody has made progress for long, it may be there.
      long before = connection.reader().received();
      mover.drain(connection);
      mover.write(connection);
      if (connection.isOpen() && connection.reader().received() == before) {
        connection.lost(
            new SocketTimeoutException(
                "no sign of life for " + timeout / 1_000_000 + " ms, the peer timeout"));
      }
    }
  }

  /** Whether a peer may live whose message waits for a receive. */
  private boolean isHeardBehindPause(Connection connection, boolean agreed) throws IOException {
    FrameReader reader = connection.reader();
    long before = connection.receivedBefore;
    if (!reader.isAtEnd() && !reader.canReadAhead()) {
      return established.contains(connection.channel());
    }
    mover.readAhead(connection);
    return !reader.isAtEnd() && (!agreed || reader.received() != before);
  }

  /** Gives a sign of life to a peer that wants some and has had none since the last look. */
  void beat(Connection connection) {
    FrameWriter writer = connection.writer();
    if (connection.agreement().heartbeat() > 0
        && writer.written() == connection.writtenBefore
        && connection.isOpen()
        && !connection.closing.isOver()) {
      try {
        connection.closing.beat();
        mover.settle(connection);
      } catch (IOException | RuntimeException failed) {
        // A thread that reads from it, or writes to it, finds that out too.
        if (connection.reader().isPaused()) {
          connection.lost(failed);
        }
      }
    }
    connection.writtenBefore = writer.written();
  }

  /** Gives no signs any more. */
  void close() {
    ScheduledFuture<?> present = beating;
    if (present != null) {
      present.cancel(false);
      beating = null;
    }
  }
}
