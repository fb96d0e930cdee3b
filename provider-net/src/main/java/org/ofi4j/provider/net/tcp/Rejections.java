// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections of an endpoint that were closed because their peer sent what the protocol does not
 * have: how many, and for each a line in the log, at level {@code DEBUG}. Guarded by the lock of
 * the endpoint, but {@link #tell}, which must be called without it: behind a logger may be an
 * application's code.
 */
final class Rejections {
  private static final Logger LOG = System.getLogger(Rejections.class.getName());

  /** Lines to write once the lock is free; any more are only counted. */
  private static final int MOST_UNTOLD = 64;

  private long count;
  private List<String> untold = List.of();

  /** A connection is about to be closed because of what came over it. */
  void note(Connection connection, ProtocolException reason) {
    count++;
    if (untold.size() < MOST_UNTOLD && LOG.isLoggable(Level.DEBUG)) {
      if (untold.isEmpty()) {
        untold = new ArrayList<>();
      }
      SocketAddress from = connection.channel().socket().getRemoteSocketAddress();
      untold.add(
          "connection of " + from + " closed: " + reason.getMessage() + "; it is number " + count);
    }
  }

  /** What there is to {@link #tell}. */
  List<String> poll() {
    List<String> taken = untold;
    untold = List.of();
    return taken;
  }

  /** Writes lines to the log. */
  static void tell(Object endpoint, List<String> lines) {
    for (String line : lines) {
      LOG.log(Level.DEBUG, () -> endpoint + ": " + line);
    }
  }
}
