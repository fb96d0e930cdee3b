// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.net.endpoint.Required;

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
  private final Due due;
  private long next = Long.MAX_VALUE;

  /**
   * Looks at no connection yet.
   *
   * @param timeout how long a connection stays that nobody needs, in nanoseconds; {@link
   *     ConnectionSettings#NEVER_IDLE} for ever
   */
  Idleness(long timeout, Due due) {
    this.timeout = timeout;
    this.due = due;
  }

  /** The time in nanoseconds, as an application has said it. */
  static long checked(Duration wanted) {
    Required.value(wanted, "timeout");
    // What is longer makes no difference, and the sum with a time must be one.
    long nanoseconds = Math.min(TimeUnit.NANOSECONDS.convert(wanted), Long.MAX_VALUE / 4);
    if (nanoseconds < TcpLimits.LEAST_IDLE_TIMEOUT) {
      throw new FabricException(
          Errno.EINVAL,
          "timeout " + wanted + ": must be a millisecond or more, which connections are worth");
    }
    return nanoseconds;
  }

  static FabricException late(FabricObject endpoint) {
    return new FabricException(
        Errno.EINVAL, endpoint + " is enabled: say when connections are closed before that");
  }

  /**
   * A connection is open.
   *
   * @return when {@link #isDue} is to be asked
   */
  long opened(Connection connection) {
    if (timeout != ConnectionSettings.NEVER_IDLE) {
      long now = due.now();
      connection.closing.begin(now);
      next = Math.min(next, now + timeout / LOOKS);
    }
    return next;
  }

  /**
   * Whether all connections are to be looked at now.
   *
   * @param now the time
   */
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
        connection.mover().settle(connection);
      } catch (IOException | RuntimeException failed) {
        // Whoever reads from it, or writes to it, finds that out too.
      }
    }
  }
}
