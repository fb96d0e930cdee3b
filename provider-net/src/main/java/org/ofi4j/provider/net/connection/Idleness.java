// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;

/**
 * Finds connections that nobody has needed for some time, and has them {@linkplain IdleClosing
 * closed}. As {@link Silence} it looks several times within that time, so traffic pays nothing.
 *
 * <p>Guarded by the lock of the endpoint.
 */
final class Idleness {
  /** How often connections are looked at within the time after which they are idle. */
  private static final int LOOKS = 4;

  private final long timeout;
  private final ConnectionOwner owner;
  private long next = Long.MAX_VALUE;

  /**
   * Looks at no connection yet.
   *
   * @param timeout how long a connection stays that nobody needs, in nanoseconds; {@link
   *     ConnectionSettings#NEVER} for ever
   */
  Idleness(long timeout, ConnectionOwner owner) {
    this.timeout = timeout;
    this.owner = owner;
  }

  /**
   * A connection is open.
   *
   * @return when {@link #isDue} is to be asked
   */
  long opened(Connection connection) {
    if (timeout != ConnectionSettings.NEVER) {
      long now = owner.now();
      connection.closing.begin(now);
      next = Math.min(next, now + timeout / LOOKS);
    }
    return next;
  }

  /** Whether all connections are to be looked at now. */
  boolean isDue(long now) {
    if (now < next) {
      return false;
    }
    // Unless there is a connection to look at.
    next = Long.MAX_VALUE;
    return true;
  }

  /** When it is due; {@link Long#MAX_VALUE} for never. */
  long next() {
    return next;
  }

  /** Looks at an open connection, and asks its peer if nobody needs it. */
  void look(Connection connection, long now) {
    next = now + timeout / LOOKS;
    IdleClosing closing = connection.closing;
    if (closing.idleFor(now) >= timeout && connection.isOpen()) {
      // If the peer still needs it, it is asked again after the same time.
      closing.begin(now);
      try {
        closing.ask();
        owner.mover.settle(connection);
      } catch (IOException | RuntimeException failed) {
        // Whoever reads from it, or writes to it, finds that out too.
      }
    }
  }
}
