// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * The connections of an endpoint that opens and accepts them by itself, from the first attempt or
 * request until they are closed or lost; and sends that need one. Guarded by the lock of the
 * endpoint, but {@link #patience}.
 */
public final class Connections extends ConnectionOwner {
  private final Function<Connection, FrameHandler> handlers;
  private final Listener listener;
  private final PeerDirectory peers;
  private final Rejections rejections;
  private final Security security;
  private final PeerEvents events;
  private final Silence silence;
  private final Idleness idleness;
  private final Connector connector;
  private final Greetings greetings;
  private final Acceptor acceptor;
  private final Handshake handshake;

  /**
   * No connections yet.
   *
   * @param handlers make what gives the frames of a connection a meaning
   * @param handshake what is said before they are open
   * @param beat has {@link #beat} called again and again, from a thread that does not move data;
   *     null if whoever moves data never sleeps for longer than it says
   */
  @SuppressWarnings("this-escape") // kept for later
  public Connections(
      FrameMover mover,
      Function<Connection, FrameHandler> handlers,
      Listener listener,
      PeerDirectory peers,
      Handshake handshake,
      ConnectionSettings settings,
      @Nullable Runnable beat) {
    super(mover);
    this.handlers = handlers;
    this.listener = listener;
    this.peers = peers;
    this.handshake = handshake;
    rejections = handshake.rejections();
    security = new Security(settings.security(), mover.buffers());
    events = new PeerEvents(settings.endpoint(), settings.events(), peers.entries());
    silence = new Silence(settings.peerTimeout(), this, beat);
    idleness = new Idleness(settings.idleTimeout(), this);
    connector = new Connector(this, handshake, listener, settings.connectTimeout());
    greetings = new Greetings(this, this::greeting, listener, rejections);
    acceptor = new Acceptor(this, peers, mover, greetings, handshake);
  }

  // Sends that need a connection.

  /** Refuses a handle to which no connection is and none may be opened. */
  public void checkReachable(Peer peer, long handle) {
    if (peer.connection == null && peers.isFirewalled(peer, handle)) {
      throw new FabricException(Errno.EFIREWALLADDR, behindFirewall(peer));
    }
  }

  private static String behindFirewall(Peer peer) {
    return "the peer " + peer + " is behind a firewall: it must connect first";
  }

  /** Sends to a peer, as soon as there is an open connection. */
  public void send(Peer peer, Send send) {
    Connection connection = peer.connection;
    if (connection != null && connection.isOpen()) {
      if (isTaken(connection, send)) {
        mover.send(connection, send);
      }
    } else {
      await(peer, send);
    }
  }

  /** Returns whether the peer takes a message where it is to go; if not, the message has failed. */
  private static boolean isTaken(Connection connection, Send send) {
    if (send.word() == DeliveryWord.NONE) {
      return true;
    }
    Agreement.Refusal refusal = connection.agreement().refusal(send.word());
    if (refusal != null) {
      send.owner()
          .fail(send, refusal.errno(), "the peer " + connection.peer + " " + refusal.reason());
    }
    return refusal == null;
  }

  private void await(Peer peer, Send send) {
    if (!peer.isAwaited()) {
      connector.setDeadline(peer);
    }
    peer.attempts().waiting.add(send);
    if (peer.connection == null) {
      connector.connect(peer);
    }
  }

  /** Opens a connection to a peer, unless there is one or it is behind a firewall. */
  public void warmUp(long handle) {
    Peer peer = peers.peer(handle);
    if (peer.connection == null && !peer.isConnecting() && !peers.isFirewalled(peer, handle)) {
      peer.attempts().warming = true;
      connector.setDeadline(peer);
      connector.connect(peer);
    }
  }

  /** After a connection was lost, what waits for the peer needs another one. */
  private void reconnect(Peer peer) {
    if (peer.connection != null) {
      return;
    }
    if (peer.isConnecting()) {
      peer.firewalled = false;
      connector.retry(peer);
      return;
    }
    failUnreachable(peer);
    if (peer.isAwaited()) {
      connector.setDeadline(peer);
      connector.connect(peer);
    }
  }

  /**
   * A connection is lost: fails what waits for another one and may not open it. What the peer has
   * said of a firewall ends with the connection, as another one may live at its address next.
   */
  private static void failUnreachable(Peer peer) {
    if (peer.isAwaited()) {
      Operations<Send> waiting = peer.attempts().waiting;
      Operations<Send> all = new Operations<>();
      all.takeAll(waiting);
      for (Send send = all.poll(); send != null; send = all.poll()) {
        if (peer.firewalled || send.firewalled) {
          send.owner().fail(send, Errno.EFIREWALLADDR, behindFirewall(peer));
        } else {
          waiting.add(send);
        }
      }
    }
    peer.firewalled = false;
  }

  // Connection messages.

  private Connection greeting(SocketChannel channel, InetSocketAddress from) throws IOException {
    return connection(channel, from, Connection.State.GREETING);
  }

  /** A connection to or from a peer, over which nothing has gone yet. */
  Connection connection(SocketChannel channel, InetSocketAddress peer, Connection.State state)
      throws IOException {
    SecureChannel secure = security.over(channel, peer, state == Connection.State.CONNECTING);
    return new Connection(channel, secure, state, this);
  }

  /** Accepts a connection; frames may go over it from now on. */
  void respond(Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    open(connection, request, handshake.respond(connection, request, its));
  }

  private void answered(Connection connection) throws IOException {
    Agreement agreed = handshake.answered(connection);
    if (agreed != null) {
      open(connection, handshake.answer(), agreed);
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
      sendWaiting(connection, peer);
      connection.awaited = !connection.writer().isIdle();
    }
    mover.move(connection, SelectionKey.OP_WRITE);
  }

  private static void sendWaiting(Connection connection, Peer peer) {
    if (peer.isAwaited()) {
      Operations<Send> waiting = peer.attempts().waiting;
      for (Send send = waiting.poll(); send != null; send = waiting.poll()) {
        if (isTaken(connection, send)) {
          connection.writer().add(send);
        }
      }
    }
  }

  @Override
  public FrameHandler handler(Connection connection) {
    return handlers.apply(connection);
  }

  // Events of connections.

  public void accept() {
    greetings.accept();
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
            handshake.request(connection);
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
    mover.totals().lost();
    boolean was = peer.detach(connection);
    close(connection, peer, "the connection to " + peer + " is lost: " + failed.getMessage());
    if (was) {
      events.lost(peer, connection.incarnation, failed);
    }
    if (peer.connection == null && peer.loopback == null) {
      connection.handler().peerLeft();
    }
    if (was && fruitless && peer.isAwaited()) {
      failUnreachable(peer);
      connector.failedOpen(peer, failed);
    } else {
      reconnect(peer);
    }
  }

  /** Nobody needed the connection, and both sides know: that is no loss. */
  private void closedIdle(Connection connection, Peer peer) {
    connection.finish();
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
      mover.totals().lost();
      events.lost(peer, connection.incarnation, anew);
    }
  }

  /** Closes a connection; its sends of which nothing is out wait for another one. */
  void close(Connection connection, Peer peer, String reason) {
    mover.forget(connection);
    Operations<Send> untouched = new Operations<>();
    connection.close(untouched, Errno.ECONNRESET, reason);
    if (!untouched.isEmpty()) {
      Operations<Send> waiting = peer.attempts().waiting;
      untouched.takeAll(waiting);
      waiting.takeAll(untouched);
    }
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
    peers.forEach(peer -> {
      if (peer.isAwaited()) {
        closed.withdrawFrom(peer.attempts().waiting);
      }
    });
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
      connection.end(trouble);
    }
    peers.forEach(peer -> {
      end(peer.connection, trouble);
      end(peer.loopback, trouble);
    });
  }

  private void end(@Nullable Connection connection, Trouble trouble) {
    if (connection != null) {
      connection.end(trouble);
    }
  }
}
