package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * Connections that have data often: they are read without asking the selector, which costs more
 * than a read in vain. Guarded by the lock of the endpoint.
 */
final class HotConnections {
  private final @Nullable Connection[] places = new @Nullable Connection[TcpLimits.HOT];
  private int count;
  private int turn;

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

  /** A connection has had data. */
  void hit(Connection connection) {
    connection.idleReads = 0;
    if (!connection.hot) {
      add(connection);
    }
  }

  /** A connection had no data. */
  void miss(Connection connection) {
    if (connection.hot && ++connection.idleReads > TcpLimits.IDLE_READS) {
      remove(connection);
    }
  }

  private void add(Connection connection) {
    Connection displaced = places[turn];
    if (displaced != null) {
      displaced.hot = false;
    } else {
      count++;
    }
    places[turn] = connection;
    turn = (turn + 1) % places.length;
    connection.hot = true;
  }

  void remove(Connection connection) {
    if (connection.hot) {
      connection.hot = false;
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
