// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.transfer.Send;

/**
 * Another endpoint, as those know it who connect to it: the connection to it, and sends that wait
 * for one. Guarded by the lock of the endpoint.
 */
public final class Peer extends Sender {
  public final InetSocketAddress address;

  /** Over which we send; it may still be under way. */
  public @Nullable Connection connection;

  /** The other end of a connection to ourselves. */
  @Nullable Connection loopback;

  /** Sends of which no byte is out, as long as no connection is open. */
  final Operations<Send> waiting = new Operations<>();

  /** Whether it says, over the connection that there is, that none to it can be opened. */
  boolean firewalled;

  /** Which life of it the last open connection was to. */
  int incarnation;

  /** Whether its last connection was reported as lost, and to which incarnation of it that was. */
  boolean reportedLost;

  int lostIncarnation;

  // Of the attempts to connect, as long as there is no open connection.
  boolean connecting;
  // Whether a connection is wanted though nothing waits for it.
  boolean warming;
  long deadline;
  long nextAttempt;
  long pause;
  Errno lastErrno = Errno.ETIMEDOUT;
  String lastReason = "";

  /** A peer; see {@link Sender}. */
  public Peer(
      long high,
      long low,
      long scopeKeyAndPort,
      int authKey,
      InetSocketAddress address,
      SenderAddress packed) {
    super(high, low, scopeKeyAndPort, authKey, packed);
    this.address = address;
  }

  @Override
  public @Nullable Link link() {
    return connection;
  }

  @Override
  public @Nullable Link loopback() {
    return loopback;
  }

  @Override
  public boolean isForgettable() {
    return super.isForgettable()
        && connection == null
        && loopback == null
        && waiting.isEmpty()
        && !connecting;
  }

  /** Takes a connection from it that is lost; false if sends did not go over it. */
  boolean detach(Connection lost) {
    if (lost.equals(loopback)) {
      loopback = null;
    }
    if (!lost.equals(connection)) {
      return false;
    }
    connection = null;
    return true;
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
