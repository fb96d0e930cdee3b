// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.ExtensionBlock;
import org.ofi4j.provider.net.wire.KeyStep;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The connections of an endpoint that opens and accepts them by itself, from the first attempt or
 * request until they are closed or lost; and sends that need one. Guarded by the lock of the
 * endpoint, but {@link #patience}.
 */
public final class Connections implements AcceptingOwner {
  private final FrameMover mover;
  private final Connection.Parts parts;
  private final Listener listener;
  private final PeerDirectory peers;
  private final Rejections rejections;
  private final Security security;
  private final PeerEvents events;
  private final Silence silence;
  private final Idleness idleness;
  private final Due due;
  private final Connector connector;
  private final Greetings greetings;
  private final Acceptor acceptor;
  private final Handshake handshake;
  private final @Nullable KeyExchange keys;
  private final ConnectionMessage answer = new ConnectionMessage();

  /**
   * No connections yet.
   *
   * @param parts what connections are made of
   * @param handshake says what the endpoint is in connection messages
   * @param security what connections have to be
   * @param keys finds out who holds our authorization keys; null without such keys
   * @param settings what the application has said of connections
   * @param events reports lost peers
   * @param silence finds them
   * @param due when there is something to do
   */
  @SuppressWarnings("this-escape") // kept for later
  public Connections(
      FrameMover mover,
      Connection.Parts parts,
      Listener listener,
      PeerDirectory peers,
      Rejections rejections,
      Handshake handshake,
      Security security,
      @Nullable KeyExchange keys,
      ConnectionSettings settings,
      PeerEvents events,
      Silence silence,
      Due due) {
    this.mover = mover;
    this.parts = parts;
    this.listener = listener;
    this.peers = peers;
    this.rejections = rejections;
    this.handshake = handshake;
    this.security = security;
    this.keys = keys;
    this.events = events;
    this.silence = silence;
    idleness = new Idleness(settings.times().idle(), due, mover);
    this.due = due;
    connector = new Connector(this, listener, due, settings.times().connect());
    greetings = new Greetings(this, listener, due);
    acceptor = new Acceptor(this, peers, mover, greetings, keys);
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

  /** Whether the peer takes a message where it is to go; if not, the message has failed. */
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
      connector.retry(peer);
      return;
    }
    failUnreachable(peer);
    if (!peer.waiting.isEmpty()) {
      connector.setDeadline(peer);
      connector.connect(peer);
    }
  }

  private void failUnreachable(Peer peer) {
    Operations<Send> all = new Operations<>();
    all.takeAll(peer.waiting);
    for (Send send = all.poll(); send != null; send = all.poll()) {
      if (peers.isFirewalled(peer, send.destination)) {
        send.owner().fail(send, Errno.EFIREWALLADDR, behindFirewall(peer));
      } else {
        peer.waiting.add(send);
      }
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

  /** Asks a peer to which TCP has connected. */
  void request(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (keys != null && peer != null) {
      keys.ask(connection, peer);
    }
    handshake.request(connection.out(), connection.dialogue);
    connection.requested();
  }

  /** Accepts a connection; frames may go over it from now on. */
  void respond(Connection connection, ConnectionMessage request, @Nullable ExtensionBlock its)
      throws IOException {
    open(
        connection, request, handshake.accept(connection.out(), request, its, connection.dialogue));
  }

  /** Tells a peer that its connection is not wanted. */
  void refuse(Connection connection, ConnectionMessage request) throws IOException {
    handshake.refuse(connection.out(), request);
    discard(connection);
  }

  /** Tells a peer the same, because it holds no key that it should hold. */
  void refuse(Connection connection, ConnectionMessage request, UnprovenException reason)
      throws IOException {
    rejections.note(connection, reason);
    refuse(connection, request);
  }

  /** Tells a peer that it speaks another protocol, of which the messages are the same. */
  void refuseRxm(Connection connection) throws IOException {
    rejections.warn(
        connection,
        "it asks as tcp;ofi_rxm does, which is another protocol: C programs reach this endpoint"
            + " with provider tcp alone, FI_PROTO_XNET (net in libfabric 1.16 and 1.17), and"
            + " without atomics");
    handshake.refuseRxm(connection.out());
    discard(connection);
  }

  private void answered(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (peer == null || !connection.readGreeting(answer)) {
      return;
    }
    switch (answer.type()) {
      case RESPONSE -> {
        if (!answer.isOfEndpoint()) {
          throw new ProtocolException("a response does not say who accepts");
        }
        if (keys != null) {
          keys.accepted(connection, answer);
        }
        open(connection, answer, handshake.accepted(answer));
      }
      case REFUSAL -> {
        KeyDialogue dialogue = connection.dialogue;
        if (answer.isRefusalOfRxm()) {
          connector.refused(
              peer,
              "it refuses the connection as tcp;ofi_rxm does, which is another protocol: open the C"
                  + " program's endpoint with provider tcp alone, FI_PROTO_XNET (net in libfabric"
                  + " 1.16 and 1.17)");
        } else if (dialogue != null && dialogue.step() == KeyStep.CHALLENGE) {
          connector.unproven(peer, "it does not hold the authorization key, or takes none");
        } else {
          connector.refused(peer, "it refuses the connection");
        }
      }
      case CHALLENGE -> {
        if (keys == null) {
          throw new ProtocolException("a challenge came, but there are no authorization keys");
        }
        keys.confirm(connection, answer);
        // What follows may have been decrypted already, of which no selector knows.
        answered(connection);
      }
      default -> throw new ProtocolException("something else came where an answer belongs");
    }
  }

  private void open(Connection connection, ConnectionMessage itsMessage, Agreement agreed) {
    connection.opened(itsMessage.order(), itsMessage.isAnnouncing(), agreed);
    connection.incarnation = itsMessage.incarnation();
    dueAt(silence.opened(connection));
    dueAt(idleness.opened(connection));
    Peer peer = connection.peer;
    if (peer != null && connection.equals(peer.connection)) {
      events.open(peer, connection.incarnation);
      connector.done(peer);
      addWaiting(connection, peer.waiting);
      connection.awaited = !connection.writer().isIdle();
    }
    mover.move(connection, SelectionKey.OP_WRITE);
  }

  private static void addWaiting(Connection connection, Operations<Send> waiting) {
    for (Send send = waiting.poll(); send != null; send = waiting.poll()) {
      if (isTaken(connection, send)) {
        connection.writer().add(send);
      }
    }
  }

  // What happens to connections.

  /** Takes connections that others have opened. */
  public void accept() {
    greetings.accept();
  }

  @Override
  public boolean isFull() {
    return parts.readiness().size() >= TcpLimits.MAX_CONNECTIONS;
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
            request(connection);
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
        if (peer != null && detach(connection, peer)) {
          reconnect(peer);
        }
      }
      case CONNECTING, REQUESTED -> {
        if (peer != null && connection.equals(peer.connection)) {
          if (failed instanceof UnprovenException unproven) {
            connector.unproven(peer, String.valueOf(unproven.getMessage()));
          } else {
            connector.failed(peer, failed);
          }
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
    boolean was = detach(connection, peer);
    close(connection, peer, "the connection to " + peer + " is lost: " + failed.getMessage());
    if (was) {
      events.lost(peer, connection.incarnation, failed);
    }
    if (was && fruitless && !peer.waiting.isEmpty()) {
      failUnreachable(peer);
      connector.failedOpen(peer, failed);
    } else {
      reconnect(peer);
    }
  }

  /** Nobody needed the connection, and both sides know: that is no loss. */
  private void closedIdle(Connection connection, Peer peer) {
    connection.finish(parts.pool());
    detach(connection, peer);
    close(connection, peer, "nobody needed it");
    reconnect(peer);
  }

  @Override
  public boolean isSpare(Connection connection) {
    Peer peer = connection.peer;
    // Where messages wait for receives there is less room than a new connection would say.
    return peer != null && peer.unexpectedMessages == 0 && !peers.isFirewalled(peer);
  }

  /** Takes a connection from its peer; false if sends did not go over it. */
  private static boolean detach(Connection connection, Peer peer) {
    if (connection.equals(peer.loopback)) {
      peer.loopback = null;
    }
    if (!connection.equals(peer.connection)) {
      return false;
    }
    peer.connection = null;
    return true;
  }

  /**
   * The connection to a peer makes room for a new one, which the peer has opened.
   *
   * @param life of the peer, as the new one says
   */
  void replace(Connection connection, Peer peer, int life) {
    // Of one that was about to be closed the peer's answer may be late.
    boolean unneeded = connection.closing.isSilent() && connection.incarnation == life;
    IOException anew = new IOException("the peer " + peer + " has connected anew");
    close(connection, peer, String.valueOf(anew.getMessage()));
    if (connection.incarnation != 0 && !unneeded) {
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

  @Override
  public void discard(Connection connection) {
    mover.forget(connection);
    connection.abandon();
  }

  // Time.

  @Override
  public void dueAt(long time) {
    if (due.at(time)) {
      mover.dueSooner();
    }
  }

  @Override
  public long patience() {
    return due.patience();
  }

  @Override
  public void tick() {
    if (!due.isPast()) {
      return;
    }
    due.begin();
    try {
      long now = due.now();
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
    } finally {
      due.collect();
    }
  }

  /** Gives peers that want it a sign of life. */
  public void beat() {
    forEachOpen(silence::beat);
  }

  @Override
  public void write(Connection connection) {
    mover.write(connection);
  }

  @Override
  public void resume(Connection connection, @Nullable Arrival to) {
    mover.resume(connection, to);
  }

  @Override
  public void forEachOpen(Consumer<Connection> action) {
    List<Connection> open = new ArrayList<>();
    peers.forEach(peer -> {
      add(open, peer.connection);
      add(open, peer.loopback);
    });
    open.stream().filter(Connection::isOpen).forEach(action);
  }

  /** A transmit context is closed: what it has posted is not sent any more. */
  public void withdraw(TransmitContext closed) {
    peers.forEach(peer -> closed.withdrawFrom(peer.waiting));
    forEachOpen(connection -> {
      connection
          .reader()
          .redirect(to -> to instanceof Send read && closed.equals(read.owner()), Matching.NOWHERE);
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

  private static void add(List<Connection> all, @Nullable Connection connection) {
    if (connection != null) {
      all.add(connection);
    }
  }
}
