// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Arrival;

/**
 * What all owners of connections do alike: they have one who moves the frames, and times at which
 * something is to be done. Guarded by the lock of the endpoint, but {@link #patience}.
 */
public abstract class TimedOwner implements ConnectionOwner {
  protected final FrameMover mover;

  protected final Due due = new Due();

  protected TimedOwner(FrameMover mover) {
    this.mover = mover;
  }

  @Override
  public final void write(Connection connection) {
    mover.write(connection);
  }

  @Override
  public final void resume(Connection connection, @Nullable Arrival to) {
    mover.resume(connection, to);
  }

  /** Closes a connection over which nothing was ever sent. */
  public final void discard(Connection connection) {
    mover.forget(connection);
    connection.abandon();
  }

  public final void dueAt(long time) {
    if (due.at(time)) {
      mover.dueSooner();
    }
  }

  @Override
  public final long patience() {
    return due.patience();
  }

  @Override
  public final void tick() {
    if (!due.isPast()) {
      return;
    }
    due.begin();
    try {
      tick(due.now());
    } finally {
      due.collect();
    }
  }

  /** Does what the time has come for, and notes all times that still count. */
  protected abstract void tick(long now);
}
