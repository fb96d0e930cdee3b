// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.KeyStep;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * Finds out who has opened a connection, and decides which stays where there are two. Guarded by
 * the lock of the endpoint.
 */
final class Acceptor {
  private final Connections connections;
  private final PeerDirectory peers;
  private final FrameMover mover;
  private final Greetings greetings;
  private final Handshake handshake;
  private final ConnectionMessage request = new ConnectionMessage();

  Acceptor(
      Connections connections,
      PeerDirectory peers,
      FrameMover mover,
      Greetings greetings,
      Handshake handshake) {
    this.connections = connections;
    this.peers = peers;
    this.mover = mover;
    this.greetings = greetings;
    this.handshake = handshake;
  }

  /** Reads what a connection says about itself, and does what follows from it. */
  void greet(Connection connection) throws IOException {
    if (!greetings.read(connection, request)) {
      return;
    }
    if (request.isRequestOfRxm()) {
      greetings.forget(connection);
      handshake.refuseRxm(connection);
      connections.discard(connection);
      return;
    }
    KeyDialogue begun = connection.dialogue;
    KeyStep step = begun == null ? KeyStep.REQUEST : begun.step();
    if (request.type() != step.message()
        || request.port() == 0
        || !(connection.channel().getRemoteAddress() instanceof InetSocketAddress host)) {
      throw new ProtocolException("a connection does not begin with a request");
    }
    ExtensionBlock its = request.extension();
    try {
      if (!handshake.isProven(connection, request, its)) {
        // The confirmation may have been decrypted already, of which no selector knows.
        greet(connection);
        return;
      }
    } catch (UnprovenException reason) {
      greetings.forget(connection);
      handshake.refuse(connection, request, reason);
      connections.discard(connection);
      return;
    }
    greetings.forget(connection);
    KeyDialogue proven = connection.dialogue;
    int authKey = proven == null ? KeyDialogue.NO_KEY : proven.key();
    Peer peer = peers.peer(host, request.port(), authKey);
    connection.peer = peer;
    switch (judge(connection, peer)) {
      case ACCEPT -> accept(connection, peer, its);
      case REPLACE -> {
        Connection replaced = peer.connection;
        peer.connection = null;
        if (replaced != null) {
          connections.replace(replaced, peer, request.incarnation());
        }
        accept(connection, peer, its);
      }
      case LOOPBACK -> {
        Connection replaced = peer.loopback;
        if (replaced != null) {
          connections.close(replaced, peer, "replaced by a new connection");
        }
        peer.loopback = connection;
        connections.respond(connection, request, its);
      }
      case REFUSE -> {
        handshake.refuse(connection, request);
        connections.discard(connection);
      }
    }
  }

  private void accept(Connection connection, Peer peer, @Nullable ExtensionBlock its)
      throws IOException {
    peer.connection = connection;
    peer.firewalled = request.isFirewalled();
    connections.respond(connection, request, its);
  }

  private ConnectionRules.Verdict judge(Connection connection, Peer peer) throws IOException {
    int incarnation = request.incarnation();
    boolean own = isOwn(connection, peer.connection);
    Connection old = peer.connection;
    if (!own && old != null && old.isOpen()) {
      // What the peer sent over it before is not lost; and if it has closed it, that is seen now.
      mover.drain(old);
      mover.write(old);
    }
    Connection present = peer.connection;
    if (present == null) {
      // One of our own comes over a connection that is there: from our address it is a stranger.
      return peers.compareWithOwn(peer) == 0
          ? ConnectionRules.Verdict.REFUSE
          : ConnectionRules.Verdict.ACCEPT;
    }
    ConnectionRules.Verdict verdict =
        ConnectionRules.judge(
            present.state(),
            present.incarnation == incarnation,
            present.refusals > 0,
            own,
            peers.compareWithOwn(peer));
    if (verdict == ConnectionRules.Verdict.REFUSE && present.isOpen()) {
      present.refusals++;
    }
    return verdict;
  }

  /** Whether it is the other end of a connection that this endpoint has opened. */
  private static boolean isOwn(Connection accepted, @Nullable Connection opened)
      throws IOException {
    return opened != null
        && opened.state() != Connection.State.CLOSED
        && accepted.channel().getRemoteAddress().equals(opened.channel().getLocalAddress());
  }
}
