// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Connections that have data often: they are read without asking the selector, which costs more
 * than a read in vain. Guarded by the lock of the endpoint.
 */
final class HotConnections {
  private final Readiness readiness;
  private final @Nullable Connection[] places = new @Nullable Connection[TcpLimits.HOT];
  private int count;
  private int turn;

  HotConnections(Readiness readiness) {
    this.readiness = readiness;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** How many places there are, taken or not. */
  int places() {
    return places.length;
  }

  /** The connection in a place; null if it is free. */
  @Nullable Connection at(int place) {
    return places[place];
  }

  void hit(Connection connection) {
    connection.idleReads = 0;
    if (!connection.hot) {
      add(connection);
    }
  }

  void miss(Connection connection) {
    if (connection.hot && ++connection.idleReads > TcpLimits.IDLE_READS) {
      remove(connection);
    }
  }

  private void add(Connection connection) {
    Connection displaced = places[turn];
    if (displaced != null) {
      heat(displaced, false);
    } else {
      count++;
    }
    places[turn] = connection;
    turn = (turn + 1) % places.length;
    heat(connection, true);
  }

  private void heat(Connection connection, boolean isHot) {
    connection.hot = isHot;
    readiness.readAnyway(connection, isHot);
  }

  void remove(Connection connection) {
    if (connection.hot) {
      heat(connection, false);
      for (int i = 0; i < places.length; i++) {
        if (connection.equals(places[i])) {
          places[i] = null;
          count--;
          turn = i;
        }
      }
    }
  }
}
