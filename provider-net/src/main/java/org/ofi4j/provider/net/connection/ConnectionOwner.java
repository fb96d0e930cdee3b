// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;

/**
 * Who opens and accepts connections for an endpoint, and decides what becomes of them. All calls
 * but {@link #patience} are made with the endpoint's lock held.
 */
public interface ConnectionOwner {
  /** Writes what was queued for a connection just now, unless the kernel has no room. */
  void write(Connection connection);

  /** Reads on from a connection that was paused; see {@link Link#resume}. */
  void resume(Connection connection, @Nullable Arrival to);

  void forEachOpen(Consumer<Connection> action);

  void act(Connection connection, int ready);

  /** A connection is of no use any more; may be said more than once. */
  void lost(Connection connection, Throwable failed);

  /** Whether a connection over which nothing is under way could be opened anew at any time. */
  default boolean isSpare(Connection connection) {
    return false;
  }

  /** Nanoseconds until {@link #tick} has something to do; {@link Long#MAX_VALUE} for never. */
  long patience();

  /** Does what the time has come for. */
  void tick();

  /**
   * Closes all connections, and drops what is posted. What the kernel has been given still goes
   * out. Goes on to the end whatever goes wrong.
   */
  void close(Trouble trouble);
}
