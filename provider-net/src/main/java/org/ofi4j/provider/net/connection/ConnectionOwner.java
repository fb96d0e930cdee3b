// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The part of an endpoint that opens or accepts connections and decides what becomes of each. A
 * {@link Connection} reports to its owner what happens to it, and the owner has its {@link
 * FrameMover} move the frames. What no channel reports, such as a timeout, the owner does when its
 * time has come: it collects the times, and threads that are about to sleep ask for the first one.
 *
 * <p>Guarded by the lock of the endpoint, except for {@link #patience}.
 */
public abstract class ConnectionOwner {
  private static final long NEVER = Long.MAX_VALUE;

  protected final FrameMover mover;
  private final Security security;

  private final long origin = System.nanoTime();

  // Times since origin, so that one volatile says both whether and when: a thread that is about to
  // sleep must not read that nothing is due while the next time is being found out.
  private volatile long due = NEVER;
  private boolean collecting;
  private long collected;

  /**
   * An owner of no connection yet.
   *
   * @param security TLS of its connections, if they have it
   */
  protected ConnectionOwner(FrameMover mover, Security security) {
    this.mover = mover;
    this.security = security;
  }

  /**
   * Makes a connection of a channel over which nothing has gone yet.
   *
   * @param state whether this side connects or has accepted it
   * @throws IOException if TLS cannot be set up; the channel stays open
   */
  protected final Connection connection(
      SocketChannel channel, InetSocketAddress peer, Connection.State state) throws IOException {
    boolean connects = state == Connection.State.CONNECTING;
    return new Connection(channel, security.over(channel, peer, connects), state, this);
  }

  /** Returns what gives the frames of a new connection a meaning. */
  protected abstract FrameHandler handler(Connection connection);

  /** Does what a connection is ready for. */
  public final void act(Connection connection, int ready) {
    try {
      proceed(connection, ready);
    } catch (IOException | RuntimeException failed) {
      lost(connection, failed);
    }
    mover.settle(connection);
  }

  /**
   * Goes on with a connection that is ready.
   *
   * @throws IOException if the connection is lost
   */
  protected abstract void proceed(Connection connection, int ready) throws IOException;

  /** Closes a connection that is of no use any more. Does nothing the second time. */
  public final void lost(Connection connection, Throwable failed) {
    if (connection.state() != Connection.State.CLOSED) {
      if (failed instanceof ProtocolException rubbish) {
        mover.rejections().note(connection, rubbish);
      }
      ended(connection, failed);
    }
  }

  /** Closes a connection that is of no use any more, and is not closed yet. */
  protected abstract void ended(Connection connection, Throwable failed);

  /** Returns whether a connection over which nothing is under way could be opened again. */
  protected boolean isSpare(Connection connection) {
    return false;
  }

  /**
   * Closes all connections, and drops what is posted. What the kernel has been given still goes
   * out. Goes on to the end whatever goes wrong.
   */
  public abstract void close(Trouble trouble);

  /** Closes a connection over which nothing was ever sent. */
  public final void discard(Connection connection) {
    mover.forget(connection);
    connection.abandon();
  }

  /** Returns whether no more connections are accepted. */
  final boolean isFull() {
    return mover.readiness().size() >= TcpLimits.MAX_CONNECTIONS;
  }

  // Time.

  /** Returns the time in nanoseconds since this owner was made. */
  public final long now() {
    return System.nanoTime() - origin;
  }

  /** Notes a time at which something is to be done. */
  public final void dueAt(long time) {
    if (collecting) {
      collected = Math.min(collected, time);
    } else if (time < due) {
      due = time;
      mover.dueSooner();
    }
  }

  /**
   * Returns nanoseconds until {@link #tick()} has something to do; {@link Long#MAX_VALUE} for
   * never. For any thread.
   */
  public final long patience() {
    long time = due;
    return time == NEVER ? NEVER : Math.max(0, time - now());
  }

  /** Does what the time has come for. */
  public final void tick() {
    long time = due;
    if (time == NEVER || now() < time) {
      return;
    }
    collecting = true;
    collected = NEVER;
    try {
      tick(now());
    } finally {
      collecting = false;
      due = collected;
    }
  }

  /** Does what the time has come for, and notes again all times that still count. */
  protected abstract void tick(long now);
}
