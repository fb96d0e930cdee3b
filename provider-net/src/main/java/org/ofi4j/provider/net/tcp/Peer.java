package org.ofi4j.provider.net.tcp;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.SenderAddress;

/**
 * Another endpoint, known by its address: the connection to it, and sends that wait for one. What
 * distinguishes peers is the three words of {@link org.ofi4j.provider.net.endpoint.TargetAddress}.
 * Guarded by the lock of the endpoint.
 */
final class Peer {
  final long high;
  final long low;
  final long scopeAndPort;
  final InetSocketAddress address;

  /** Its address as the vector may have it. */
  final SenderAddress packed;

  /** Over which we send; it may still be under way. */
  @Nullable Connection connection;

  /** The other end of a connection to ourselves. */
  @Nullable Connection loopback;

  /** Sends of which no byte is out, as long as no connection is open. */
  final Operations<Send> waiting = new Operations<>();

  int unexpectedMessages;
  long unexpectedBytes;

  /** Whether it says that no connection to it can be opened. */
  boolean firewalled;

  /** Posted receives that take messages of this peer only. */
  int directedReceives;

  /** Whether room for its messages was made while some of them were parked; a list of such. */
  boolean isRelieved;

  @Nullable Peer nextRelieved;

  // Of the attempts to connect, as long as there is no open connection.
  boolean connecting;
  // Whether a connection is wanted though nothing waits for it.
  boolean warming;
  long deadline;
  long nextAttempt;
  long pause;
  Errno lastErrno = Errno.ETIMEDOUT;
  String lastReason = "";

  Peer(long high, long low, long scopeAndPort, InetSocketAddress address, SenderAddress packed) {
    this.high = high;
    this.low = low;
    this.scopeAndPort = scopeAndPort;
    this.address = address;
    this.packed = packed;
  }

  boolean is(long upper, long lower, long scopedPort) {
    return high == upper && low == lower && scopeAndPort == scopedPort;
  }

  /** Whether nothing would be lost with it. */
  boolean isForgettable() {
    return connection == null
        && loopback == null
        && waiting.isEmpty()
        && unexpectedMessages == 0
        && directedReceives == 0
        && !connecting;
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
