// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.TargetAddress;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Send;

/**
 * Another endpoint, as those know it who connect to it: the connection to it, and sends that wait
 * for one. Guarded by the lock of the endpoint.
 */
public final class Peer extends Sender {
  /** Sends that need a connection, and the attempts to open one. */
  static final class Attempts {
    /** Sends of which no byte is out, as long as no connection is open. */
    final Operations<Send> waiting = new Operations<>();

    boolean connecting;

    /** Whether a connection is wanted though nothing waits for it. */
    boolean warming;

    long deadline;
    long nextAttempt;
    long pause;
    Errno lastErrno = Errno.ETIMEDOUT;
    String lastReason = "";
  }

  private final @Nullable InetSocketAddress given;

  /** Over which we send; it may still be under way. */
  public @Nullable Connection connection;

  /** The other end of a connection to ourselves. */
  @Nullable Connection loopback;

  /** Sends that need a connection, and what is done for one; null while there is no such need. */
  @Nullable Attempts attempts;

  /** Whether it says, over the connection that there is, that none to it can be opened. */
  boolean firewalled;

  /** Which life of it the last open connection was to. */
  int incarnation;

  /** Whether its last connection was reported as lost, and to which incarnation of it that was. */
  boolean reportedLost;

  int lostIncarnation;

  /**
   * A peer; see {@link Sender}.
   *
   * @param given its address, if the three words do not say it; else null
   */
  public Peer(
      long high,
      long low,
      long scopeKeyAndPort,
      int authKey,
      @Nullable InetSocketAddress given,
      SenderAddress packed) {
    super(high, low, scopeKeyAndPort, authKey, packed);
    this.given = given;
  }

  /** Returns its address, which is made of the three words each time: thousands are kept. */
  public InetSocketAddress address() {
    return given == null ? TargetAddress.toSocketAddress(high, low, scopeAndPort) : given;
  }

  Attempts attempts() {
    Attempts present = attempts;
    if (present == null) {
      present = new Attempts();
      attempts = present;
    }
    return present;
  }

  /** Returns whether sends wait for a connection. */
  boolean isAwaited() {
    return attempts != null && !attempts.waiting.isEmpty();
  }

  /** Returns whether a connection is to be opened, and none is yet. */
  boolean isConnecting() {
    return attempts != null && attempts.connecting;
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
        && !isAwaited()
        && !isConnecting();
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
    return address().toString();
  }
}
