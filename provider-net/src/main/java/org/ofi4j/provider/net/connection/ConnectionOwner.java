// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.SharedBounds;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The part of an endpoint that opens or accepts connections and decides what becomes of each. A
 * {@link Connection} reports to its owner what happens to it, and the owner has its {@link
 * FrameMover} move the frames. What no channel reports, such as a timeout, the owner does when its
 * time has come: it collects the times, and threads that are about to sleep ask for the first one.
 *
 * <p>Guarded by the lock of the endpoint, except for {@link #patience}.
 */
public abstract class ConnectionOwner implements Connection.Owner {
  private static final long NEVER = Long.MAX_VALUE;

  protected final FrameMover mover;

  private final long origin = System.nanoTime();

  // Times since origin, so that one volatile says both whether and when: a thread that is about to
  // sleep must not read that nothing is due while the next time is being found out.
  private volatile long due = NEVER;
  private boolean collecting;
  private long collected;

  protected ConnectionOwner(FrameMover mover) {
    this.mover = mover;
  }

  /** Calls an action with each open connection. */
  public abstract void forEachOpen(Consumer<Connection> action);

  @Override
  public boolean isSpare(Connection connection) {
    return false;
  }

  @Override
  public final Readiness readiness() {
    return mover.readiness();
  }

  @Override
  public final SharedBounds bounds() {
    return mover.bounds();
  }

  @Override
  public final Staging.Pool buffers() {
    return mover.buffers();
  }

  @Override
  public final ConnectionTotals totals() {
    return mover.totals();
  }

  @Override
  public final void write(Connection connection) {
    mover.write(connection);
  }

  @Override
  public final void resume(Connection connection, @Nullable Arrival to) {
    mover.resume(connection, to);
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
