package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections of others, finds out who they are, and decides which stays where there are two.
 * Guarded by the lock of the endpoint.
 */
final class Acceptor {
  private final Connections connections;
  private final PeerDirectory peers;
  private final FrameMover mover;
  private final Listener listener;
  private final Due due;
  private final ConnectionMessage request = new ConnectionMessage();

  // Connections that have not introduced themselves, the oldest first.
  private final SequencedSet<Connection> greetings = new LinkedHashSet<>();

  Acceptor(
      Connections connections, PeerDirectory peers, FrameMover mover, Listener listener, Due due) {
    this.connections = connections;
    this.peers = peers;
    this.mover = mover;
    this.listener = listener;
    this.due = due;
  }

  SequencedSet<Connection> greetings() {
    return greetings;
  }

  /** Takes connections that others have opened, within a bound. */
  void accept() {
    try {
      for (int i = 0; i < TcpLimits.ACCEPTS; i++) {
        SocketChannel channel = listener.accept();
        if (channel == null) {
          return;
        }
        add(channel);
      }
    } catch (IOException failed) {
      // As a rule there are too many open files: connections wait until some are closed.
      listener.pause();
      connections.dueAt(due.now() + TcpLimits.LONGEST_PAUSE);
    }
  }

  private void add(SocketChannel channel) throws IOException {
    if (connections.isFull()) {
      channel.close();
      return;
    }
    try {
      Connection.prepared(channel);
    } catch (IOException alreadyGone) {
      return;
    }
    if (greetings.size() >= TcpLimits.MAX_GREETINGS) {
      // Who has been silent for longest is the least likely to say something.
      Connection oldest = greetings.removeFirst();
      connections.discard(oldest);
    }
    Connection connection = connections.connection(channel, Connection.State.GREETING);
    connection.deadline = due.now() + TcpLimits.GREETING_TIMEOUT;
    greetings.add(connection);
    connections.dueAt(connection.deadline);
    // As a rule the request is there already.
    connections.act(connection, SelectionKey.OP_READ);
  }

  void forget(Connection connection) {
    greetings.remove(connection);
  }

  /** Does what the time has come for, and notes when it comes again. */
  void tick(long now) {
    if (listener.isPaused()) {
      listener.goOn();
    }
    while (!greetings.isEmpty()) {
      Connection oldest = greetings.getFirst();
      if (now < oldest.deadline) {
        connections.dueAt(oldest.deadline);
        return;
      }
      greetings.removeFirst();
      connections.discard(oldest);
    }
  }

  /** Reads what a connection says about itself, and does what follows from it. */
  void greet(Connection connection) throws IOException {
    if (!connection.readGreeting(request)) {
      return;
    }
    greetings.remove(connection);
    if (request.type() != ConnectionMessage.Type.REQUEST
        || request.port() == 0
        || !(connection.channel().getRemoteAddress() instanceof InetSocketAddress host)) {
      throw new ProtocolException("a connection does not begin with a request");
    }
    Peer peer = peers.peer(host, request.port());
    connection.peer = peer;
    peer.firewalled = request.isFirewalled();
    switch (judge(connection, peer)) {
      case ACCEPT -> accept(connection, peer);
      case REPLACE -> {
        Connection replaced = peer.connection;
        peer.connection = null;
        if (replaced != null) {
          connections.close(replaced, peer, "the peer " + peer + " has connected anew");
        }
        accept(connection, peer);
      }
      case LOOPBACK -> {
        Connection replaced = peer.loopback;
        if (replaced != null) {
          connections.close(replaced, peer, "replaced by a new connection");
        }
        peer.loopback = connection;
        connections.respond(connection, request);
      }
      case REFUSE -> connections.refuse(connection, request);
    }
  }

  private void accept(Connection connection, Peer peer) throws IOException {
    peer.connection = connection;
    connections.respond(connection, request);
  }

  private ConnectionRules.Verdict judge(Connection connection, Peer peer) throws IOException {
    int life = request.incarnation();
    boolean own = isOwn(connection, peer.connection);
    Connection old = peer.connection;
    if (!own && old != null && old.isOpen()) {
      // What the peer sent over it before is not lost; and if it has closed it, that is seen now.
      mover.drain(old);
    }
    Connection present = peer.connection;
    if (present == null) {
      return ConnectionRules.Verdict.ACCEPT;
    }
    ConnectionRules.Verdict verdict =
        ConnectionRules.judge(
            present.state(),
            present.incarnation == life,
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
