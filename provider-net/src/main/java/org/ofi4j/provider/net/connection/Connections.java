// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The connections of an endpoint that opens and accepts them by itself, from the first attempt or
 * request until they are closed or lost; and sends that need one. Guarded by the lock of the
 * endpoint, but {@link #patience}.
 */
public final class Connections extends TimedOwner implements AcceptingOwner {
  private final Connection.Parts parts;
  private final Listener listener;
  private final PeerDirectory peers;
  private final Rejections rejections;
  private final Security security;
  private final PeerEvents events;
  private final Silence silence;
  private final Idleness idleness;
  private final Reach reach;
  private final Connector connector;
  private final Greetings greetings;
  private final Acceptor acceptor;
  private final Introductions introductions;

  /**
   * No connections yet.
   *
   * @param introductions what is said before they are open
   * @param beat has {@link #beat} called again and again, from a thread that does not move data;
   *     null if whoever moves data never sleeps for longer than it says
   */
  @SuppressWarnings("this-escape") // kept for later
  public Connections(
      FrameMover mover,
      Connection.Parts parts,
      Listener listener,
      PeerDirectory peers,
      Introductions introductions,
      ConnectionSettings settings,
      @Nullable Runnable beat) {
    super(mover);
    this.parts = parts;
    this.listener = listener;
    this.peers = peers;
    this.introductions = introductions;
    rejections = introductions.rejections();
    security = new Security(settings.security(), parts.pool());
    events = new PeerEvents(settings.endpoint(), settings.events(), peers.entries());
    silence = new Silence(settings.times().peer(), due, mover, beat);
    idleness = new Idleness(settings.times().idle(), due, mover);
    reach = new Reach(peers);
    connector = new Connector(this, introductions, listener, due, settings.times().connect());
    greetings = new Greetings(this, listener, due, rejections);
    acceptor = new Acceptor(this, peers, mover, greetings, introductions);
  }

  // Sends that need a connection.

  /** Refuses a handle to which no connection is and none may be opened. */
  public void checkReachable(Peer peer, long handle) {
    if (peer.connection == null) {
      reach.check(peer, handle);
    }
  }

  /** Sends to a peer, as soon as there is an open connection. */
  public void send(Peer peer, Send send) {
    Connection connection = peer.connection;
    if (connection != null && connection.isOpen()) {
      if (Reach.isTaken(connection, send)) {
        mover.send(connection, send);
      }
    } else {
      await(peer, send);
    }
  }

  private void await(Peer peer, Send send) {
    if (peer.waiting.isEmpty()) {
      connector.setDeadline(peer);
    }
    peer.waiting.add(send);
    if (peer.connection == null) {
      connector.connect(peer);
    }
  }

  /** Opens a connection to a peer, unless there is one or it is behind a firewall. */
  public void warmUp(long handle) {
    Peer peer = peers.peer(handle);
    if (peer.connection == null && !peer.connecting && !peers.isFirewalled(peer, handle)) {
      peer.warming = true;
      connector.setDeadline(peer);
      connector.connect(peer);
    }
  }

  /** After a connection was lost, what waits for the peer needs another one. */
  private void reconnect(Peer peer) {
    if (peer.connection != null) {
      return;
    }
    if (peer.connecting) {
      peer.firewalled = false;
      connector.retry(peer);
      return;
    }
    reach.failUnreachable(peer);
    if (!peer.waiting.isEmpty()) {
      connector.setDeadline(peer);
      connector.connect(peer);
    }
  }

  // Connection messages.

  @Override
  public Connection greeting(SocketChannel channel, InetSocketAddress from) throws IOException {
    return connection(channel, from, Connection.State.GREETING);
  }

  /** A connection to or from a peer, over which nothing has gone yet. */
  Connection connection(SocketChannel channel, InetSocketAddress peer, Connection.State state)
      throws IOException {
    SecureChannel secure = security.over(channel, peer, state == Connection.State.CONNECTING);
    return new Connection(channel, secure, state, this, parts);
  }

  /** Accepts a connection; frames may go over it from now on. */
  void respond(Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    open(connection, request, introductions.respond(connection, request, its));
  }

  private void answered(Connection connection) throws IOException {
    Agreement agreed = introductions.answered(connection);
    if (agreed != null) {
      open(connection, introductions.answer(), agreed);
    }
  }

  private void open(Connection connection, ConnectionMessage itsMessage, Agreement agreed) {
    connection.opened(itsMessage.order(), itsMessage.isAnnouncing(), agreed);
    connection.incarnation = itsMessage.incarnation();
    dueAt(silence.opened(connection));
    dueAt(idleness.opened(connection));
    Peer peer = connection.peer;
    if (peer != null && peer.incarnation != connection.incarnation) {
      peer.incarnation = connection.incarnation;
      connection.handler().peerRestarted();
    }
    if (peer != null && connection.equals(peer.connection)) {
      events.open(peer, connection.incarnation);
      connector.done(peer);
      Reach.addWaiting(connection, peer.waiting);
      connection.awaited = !connection.writer().isIdle();
    }
    mover.move(connection, SelectionKey.OP_WRITE);
  }

  // What happens to connections.

  public void accept() {
    greetings.accept();
  }

  @Override
  public boolean isFull() {
    return parts.readiness().size() >= TcpLimits.MAX_CONNECTIONS;
  }

  ConnectionTotals totals() {
    return parts.totals();
  }

  void settle(Connection connection) {
    mover.settle(connection);
  }

  @Override
  public void act(Connection connection, int ready) {
    try {
      switch (connection.state()) {
        case CONNECTING -> {
          if (connection.finishConnect()) {
            introductions.request(connection);
          }
        }
        case REQUESTED -> answered(connection);
        case GREETING -> acceptor.greet(connection);
        case OPEN -> mover.move(connection, ready);
        case CLOSED -> {
          return;
        }
      }
    } catch (IOException | RuntimeException failed) {
      lost(connection, failed);
    }
    mover.settle(connection);
  }

  @Override
  public void lost(Connection connection, Throwable failed) {
    if (failed instanceof ProtocolException rubbish
        && connection.state() != Connection.State.CLOSED) {
      rejections.note(connection, rubbish);
    }
    Peer peer = connection.peer;
    switch (connection.state()) {
      case GREETING -> {
        greetings.forget(connection);
        discard(connection);
        if (peer != null && peer.detach(connection)) {
          reconnect(peer);
        }
      }
      case CONNECTING, REQUESTED -> {
        if (peer != null && connection.equals(peer.connection)) {
          connector.failed(peer, failed);
        } else {
          discard(connection);
        }
      }
      case OPEN -> {
        if (peer != null && connection.closing.isOver()) {
          closedIdle(connection, peer);
        } else if (peer != null) {
          lostOpen(connection, peer, failed);
        }
      }
      case CLOSED -> {
        // It was lost before.
      }
    }
  }

  private void lostOpen(Connection connection, Peer peer, Throwable failed) {
    // What waited for it could not even begin: otherwise a peer that accepts each connection and
    // drops it at once would be tried for ever.
    boolean fruitless = connection.awaited && connection.writer().isUntouched();
    parts.totals().lost();
    boolean was = peer.detach(connection);
    close(connection, peer, "the connection to " + peer + " is lost: " + failed.getMessage());
    if (was) {
      events.lost(peer, connection.incarnation, failed);
    }
    if (peer.connection == null && peer.loopback == null) {
      connection.handler().peerLeft();
    }
    if (was && fruitless && !peer.waiting.isEmpty()) {
      reach.failUnreachable(peer);
      connector.failedOpen(peer, failed);
    } else {
      reconnect(peer);
    }
  }

  /** Nobody needed the connection, and both sides know: that is no loss. */
  private void closedIdle(Connection connection, Peer peer) {
    connection.finish(parts.pool());
    peer.detach(connection);
    close(connection, peer, "nobody needed it");
    reconnect(peer);
  }

  @Override
  public boolean isSpare(Connection connection) {
    Peer peer = connection.peer;
    // Where messages wait for receives there is less room than a new connection would say.
    return peer != null && !peer.hasKept() && !peers.isFirewalled(peer);
  }

  /**
   * The connection to a peer makes room for a new one, which the peer has opened.
   *
   * @param incarnation of the peer, as the new one says
   */
  void replace(Connection connection, Peer peer, int incarnation) {
    // Of one that was about to be closed the peer's answer may be late.
    boolean unneeded = connection.closing.isSilent() && connection.incarnation == incarnation;
    IOException anew = new IOException("the peer " + peer + " has connected anew");
    close(connection, peer, String.valueOf(anew.getMessage()));
    if (connection.incarnation != 0 && !unneeded) {
      parts.totals().lost();
      events.lost(peer, connection.incarnation, anew);
    }
  }

  /** Closes a connection; its sends of which nothing is out wait for another one. */
  void close(Connection connection, Peer peer, String reason) {
    mover.forget(connection);
    Operations<Send> untouched = new Operations<>();
    connection.close(untouched, Errno.ECONNRESET, reason);
    untouched.takeAll(peer.waiting);
    peer.waiting.takeAll(untouched);
  }

  /** Closes the connection of a peer that did not get as far as being open. */
  void discardConnecting(Peer peer) {
    Connection connection = peer.connection;
    peer.connection = null;
    if (connection != null) {
      discard(connection);
    }
  }

  // Time.

  @Override
  protected void tick(long now) {
    greetings.tick(now);
    connector.tick(now);
    if (silence.isDue(now)) {
      forEachOpen(connection -> silence.look(connection, now));
    }
    dueAt(silence.next());
    if (idleness.isDue(now)) {
      forEachOpen(connection -> idleness.look(connection, now));
    }
    dueAt(idleness.next());
  }

  /** Gives peers that want it a sign of life. */
  public void beat() {
    forEachOpen(silence::beat);
  }

  @Override
  public void forEachOpen(Consumer<Connection> action) {
    peers.connections().stream().filter(Connection::isOpen).forEach(action);
  }

  /** A transmit context is closed: what it has posted is not sent any more. */
  public void withdraw(TransmitContext closed) {
    peers.forEach(peer -> closed.withdrawFrom(peer.waiting));
    forEachOpen(connection -> {
      connection.reader().withdraw(closed);
      if (connection.writer().withdraw(closed)) {
        lost(
            connection,
            new IOException("a transmit context was closed in the middle of a message"));
      } else {
        // What stood behind what was withdrawn.
        mover.write(connection);
      }
    });
  }

  // Closing.

  @Override
  public void close(Trouble trouble) {
    silence.close();
    listener.close();
    for (Connection connection : greetings.all()) {
      connection.end(parts.pool(), trouble);
    }
    peers.forEach(peer -> {
      end(peer.connection, trouble);
      end(peer.loopback, trouble);
    });
  }

  private void end(@Nullable Connection connection, Trouble trouble) {
    if (connection != null) {
      connection.end(parts.pool(), trouble);
    }
  }
}
