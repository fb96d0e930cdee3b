// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * Connections of an endpoint that were closed because their peer sent what the protocol does not
 * have: how many, and for each a line in the log, at level {@code DEBUG}, or {@code WARNING} for
 * the first one whose trouble a user can end. A line at level {@code WARNING} also reports that the
 * endpoint cannot accept connections. Guarded by the lock of the endpoint, but {@link #tell}, which
 * must be called without it: behind a logger may be an application's code.
 */
public final class Rejections {
  private static final Logger LOG = System.getLogger(Rejections.class.getName());

  /** Lines to write once the lock is free; any more are only counted. */
  private static final int MOST_UNTOLD = 64;

  /** A line to write. */
  private record Line(Level level, String text) {}

  private final ConnectionTotals totals;
  private boolean warned;
  private final Queue<Line> untold = new ConcurrentLinkedQueue<>();

  /** None yet, of the endpoint with these totals. */
  public Rejections(ConnectionTotals totals) {
    this.totals = totals;
  }

  /** A connection is about to be closed because of what came over it. */
  public void note(SocketChannel channel, ProtocolException reason) {
    note(channel, String.valueOf(reason.getMessage()), Level.DEBUG);
  }

  /** The same for a reason that whoever has set the two sides up should know. */
  void warn(SocketChannel channel, String reason) {
    note(channel, reason, warned ? Level.DEBUG : Level.WARNING);
    warned = true;
  }

  /** Reports that no connection can be accepted, at level {@code WARNING}. */
  void warnShortage(IOException failed) {
    add(
        Level.WARNING,
        () ->
            "new connections wait, as none can be accepted: "
                + failed.getMessage()
                + "; close files, or raise the limit of open files (ulimit -n)");
  }

  private void note(SocketChannel channel, String reason, Level level) {
    long number = totals.rejected();
    add(
        level,
        () ->
            "connection of "
                + channel.socket().getRemoteSocketAddress()
                + " closed: "
                + reason
                + "; it is number "
                + number);
  }

  private void add(Level level, Supplier<String> text) {
    if (untold.size() < MOST_UNTOLD && LOG.isLoggable(level)) {
      untold.add(new Line(level, text.get()));
    }
  }

  /** Writes lines to the log; called without the lock. */
  public void tell(Object endpoint) {
    for (Line line = untold.poll(); line != null; line = untold.poll()) {
      String text = line.text;
      LOG.log(line.level, () -> endpoint + ": " + text);
    }
  }
}
