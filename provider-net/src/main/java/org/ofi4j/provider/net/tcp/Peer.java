// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.net.endpoint.SenderAddress;

/**
 * Another endpoint, known by its address: the connection to it, and sends that wait for one. What
 * distinguishes peers is the three words of {@link org.ofi4j.provider.net.endpoint.TargetAddress},
 * of which the third has the authorization key between scope and port. Guarded by the lock of the
 * endpoint.
 */
final class Peer {
  final long high;
  final long low;
  final long scopeAndPort;
  final InetSocketAddress address;

  /**
   * The authorization key under which it is spoken to, by number; {@link TransferPeers#NO_AUTH_KEY}
   * where there are none. An endpoint under two keys is two peers, who have nothing in common but
   * the address.
   */
  final int authKey;

  /** Its address as the vector may have it. */
  final SenderAddress packed;

  /**
   * What receives are directed at: the peer itself; or if endpoints share receives, what stands for
   * this peer with all of them.
   */
  Peer origin = this;

  /** As an origin: how many peers of endpoints it stands for. */
  int members;

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

  /** Whether it is looked at again because there would be room for its messages in the vector. */
  boolean isStranger;

  /** Whether its last connection was reported as lost, and to which life of it that was. */
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

  Peer(long high, long low, long scopeAndPort, InetSocketAddress address, SenderAddress packed) {
    this(high, low, scopeAndPort, TransferPeers.NO_AUTH_KEY, address, packed);
  }

  /**
   * A peer.
   *
   * @param scopeKeyAndPort {@code scope << 32 | (authKey + 1) << 16 | port}
   */
  Peer(
      long high,
      long low,
      long scopeKeyAndPort,
      int authKey,
      InetSocketAddress address,
      SenderAddress packed) {
    this.high = high;
    this.low = low;
    this.scopeAndPort = scopeKeyAndPort;
    this.authKey = authKey;
    this.address = address;
    this.packed = packed;
  }

  /** Lets another one stand for it. */
  void standBehind(Peer common) {
    origin = common;
    common.members++;
  }

  boolean is(long upper, long lower, long scopedPort) {
    return high == upper && low == lower && scopeAndPort == scopedPort;
  }

  /** What a vector has of it: of its address, under its key. */
  void find(TransferPeers peers, MessageSource into) {
    if (authKey == TransferPeers.NO_AUTH_KEY) {
      packed.find(peers, into);
    } else {
      packed.find(peers, authKey, into);
    }
  }

  /** What stands for its key in a {@link MatchKey}. */
  long matchedKey() {
    return authKey + 1L;
  }

  /** Whether nothing would be lost with it. */
  boolean isForgettable() {
    return connection == null
        && loopback == null
        && waiting.isEmpty()
        && unexpectedMessages == 0
        && directedReceives == 0
        && members == 0
        && !connecting;
  }

  /** Is forgotten, and needs nobody to stand for it. */
  void forgotten() {
    if (origin != this) {
      origin.members--;
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
