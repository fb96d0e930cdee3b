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
 * The look at all open connections of an endpoint from time to time: it finds those whose peer
 * gives no sign of life, gives signs to peers that want them, and has connections closed that are
 * not needed. It looks several times within the time that a connection may be silent, or idle, and
 * compares what has come and gone with the last look: so traffic itself pays nothing for it.
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
public final class ConnectionWatch {
  /** How often connections are looked at within the time that they may be silent, or idle. */
  private static final int LOOKS = 4;

  private final long timeout;
  private final long idleTimeout;
  private final Connection.Owner owner;
  private final FrameMover mover;
  private final @Nullable Runnable beat;
  private final EstablishedSockets established = new EstablishedSockets();
  private long listedAt;
  private long pause;
  private @Nullable ScheduledFuture<?> beating;

  // When the next looks are due: for signs of life, and for connections that are not needed.
  private long next = Long.MAX_VALUE;
  private long nextForIdle = Long.MAX_VALUE;

  /**
   * Looks at no connection yet.
   *
   * @param timeout how long a connection may be silent, in nanoseconds
   * @param idleTimeout how long a connection stays that is not needed, in nanoseconds; {@link
   *     ConnectionSettings#NEVER} for ever
   * @param beat has {@link #beat} called for each connection, from a thread that does not move
   *     data; null if whoever moves data never sleeps for longer than it says
   */
  public ConnectionWatch(
      long timeout, long idleTimeout, Connection.Owner owner, @Nullable Runnable beat) {
    this.timeout = timeout;
    this.idleTimeout = idleTimeout;
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

  /** A connection is open, and looked at from now on. */
  public void opened(Connection connection) {
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
    if (idleTimeout != ConnectionSettings.NEVER) {
      connection.closing.begin(now);
      nextForIdle = Math.min(nextForIdle, now + idleTimeout / LOOKS);
    }
    owner.dueAt(Math.min(next, nextForIdle));
  }

  /** Looks at all connections if the time has come, and notes when it comes again. */
  public void tick(long now) {
    if (now >= next) {
      next = now + pause;
      if (now - listedAt >= timeout / LOOKS) {
        // Not at each look: a peer that wants heartbeats often must not have the list read often.
        listedAt = now;
        established.forget();
      }
      mover.forEachOpen(connection -> look(connection, now));
    }
    if (now >= nextForIdle) {
      // Unless there is a connection to look at.
      nextForIdle = Long.MAX_VALUE;
      mover.forEachOpen(connection -> lookForIdle(connection, now));
    }
    owner.dueAt(Math.min(next, nextForIdle));
  }

  /** Asks the peer of an open connection whether it can be closed, if it was not needed. */
  private void lookForIdle(Connection connection, long now) {
    nextForIdle = now + idleTimeout / LOOKS;
    if (connection.isOpen() && connection.closing.idleFor(now) >= idleTimeout) {
      // If the peer still needs it, it is asked again after the same time.
      connection.closing.begin(now);
      try {
        connection.closing.ask();
        mover.settle(connection);
      } catch (IOException | RuntimeException | InternalError failed) {
        // A thread that reads from it, or writes to it, finds that out too.
      }
    }
  }

  /** Looks at an open connection: gives a sign if the peer wants some, and looks for its own. */
  private void look(Connection connection, long now) {
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
      // If no thread has made progress for long, the sign may be there.
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
      } catch (IOException | RuntimeException | InternalError failed) {
        // A thread that reads from it, or writes to it, finds that out too.
        if (connection.reader().isPaused()) {
          connection.lost(failed);
        }
      }
    }
    connection.writtenBefore = writer.written();
  }

  /** Gives no signs any more. */
  public void close() {
    ScheduledFuture<?> present = beating;
    if (present != null) {
      present.cancel(false);
      beating = null;
    }
  }
}
