package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.endpoint.TargetAddress;

/**
 * The connections of an endpoint: opens one when something is to be sent, takes those of others,
 * and decides which stays where there are two. Guarded by the lock of the endpoint.
 */
final class Connections {
  private final RdmTraffic traffic;
  private final Readiness readiness;
  private final Staging.Pool pool;
  private final CoreAddressVector vector;
  private final Listener listener;
  private final TargetAddress target;
  private final int interfaceIndex;
  private final int incarnation = ThreadLocalRandom.current().nextInt() | 1;
  private final long ownHigh;
  private final long ownLow;
  private final int ownPort;
  private final Peers peers = new Peers();
  private final ConnectionMessage message = new ConnectionMessage();
  private final ByteBuffer out = ByteBuffer.allocateDirect(ConnectionMessage.MAX_SIZE);
  private final AddressKey key = new AddressKey();

  // Peers without an open connection that should have one, and connections without a peer.
  private final List<Peer> connecting = new ArrayList<>();
  private final List<Connection> greetings = new ArrayList<>();

  // When the first of them must be looked at; read without a lock.
  private volatile long due = System.nanoTime();
  private volatile boolean isDue;

  Connections(
      RdmTraffic traffic,
      Readiness readiness,
      Listener listener,
      CoreAddressVector vector,
      int interfaceIndex,
      Staging.Pool pool) {
    this.traffic = traffic;
    this.readiness = readiness;
    this.listener = listener;
    this.vector = vector;
    this.interfaceIndex = interfaceIndex;
    this.pool = pool;
    target = new TargetAddress(vector, listener.isIpv6(), listener.isDualStack(), interfaceIndex);
    target.of(listener.name(), listener.name().getPort());
    ownHigh = target.high();
    ownLow = target.low();
    ownPort = listener.name().getPort();
  }

  /** The peer of a handle; throws if the handle has no address that can be sent to. */
  Peer peer(long handle) {
    target.resolve(handle);
    return peer();
  }

  /** The peer of the target address. */
  private Peer peer() {
    Peer found = peers.find(target.high(), target.low(), target.scopeAndPort());
    return found == null ? add() : found;
  }

  private Peer add() {
    InetSocketAddress address = target.toSocketAddress();
    SenderAddress packed = new SenderAddress();
    packed.set(address, listener.isIpv6(), vector.format(), interfaceIndex, key);
    Peer peer = new Peer(target.high(), target.low(), target.scopeAndPort(), address, packed);
    peers.add(peer);
    return peer;
  }

  // Connecting.

  /** Sees to it that a peer gets a connection, or that what waits for it fails in time. */
  void connect(Peer peer) {
    if (!peer.connecting) {
      peer.connecting = true;
      peer.deadline = System.nanoTime() + TcpLimits.CONNECT_TIMEOUT;
      peer.pause = TcpLimits.FIRST_PAUSE;
      peer.lastErrno = Errno.ETIMEDOUT;
      peer.lastReason = "it does not answer";
      connecting.add(peer);
      dueAt(peer.deadline);
      attempt(peer);
    }
  }

  private void attempt(Peer peer) {
    SocketChannel channel = null;
    try {
      channel = listener.open();
      Connection connection = connection(channel, Connection.State.CONNECTING);
      connection.peer = peer;
      peer.connection = connection;
      if (channel.connect(peer.address)) {
        request(connection);
      }
      traffic.settle(connection);
    } catch (IOException | RuntimeException failed) {
      failed(peer, failed, peer.pause);
    }
  }

  private Connection connection(SocketChannel channel, Connection.State state) {
    return new Connection(readiness, channel, state, this, traffic, pool);
  }

  private void request(Connection connection) throws IOException {
    message.set(ConnectionMessage.Type.REQUEST, ConnectionMessage.VERSION, 0, ownPort, incarnation);
    tell(connection.channel());
    connection.requested();
  }

  /** Sends the message, in one piece as C peers want it. */
  private void tell(SocketChannel channel) throws IOException {
    message.encode(out.clear());
    channel.write(out.flip());
    if (out.hasRemaining()) {
      throw new IOException("the network did not take a whole connection message");
    }
  }

  /** An attempt to connect has failed; there is another one unless time is up. */
  private void failed(Peer peer, Exception failed, long pause) {
    peer.lastErrno = NetworkErrors.of(failed);
    peer.lastReason = String.valueOf(failed.getMessage());
    failed(peer, pause);
  }

  private void failed(Peer peer, long pause) {
    Connection connection = peer.connection;
    peer.connection = null;
    if (connection != null) {
      discard(connection);
    }
    if (peer.waiting.isEmpty()) {
      connected(peer);
      return;
    }
    long now = System.nanoTime();
    if (now - peer.deadline >= 0) {
      giveUp(peer);
      return;
    }
    peer.nextAttempt = now + pause;
    peer.pause = Math.min(2 * peer.pause, TcpLimits.LONGEST_PAUSE);
    dueAt(peer.nextAttempt);
  }

  private void giveUp(Peer peer) {
    connected(peer);
    String reason = "no connection to " + peer + ": " + peer.lastReason;
    for (Send send = peer.waiting.poll(); send != null; send = peer.waiting.poll()) {
      send.owner().fail(send, peer.lastErrno, reason);
    }
  }

  /** No connection to the peer is wanted any more, or it is there. */
  private void connected(Peer peer) {
    if (peer.connecting) {
      peer.connecting = false;
      connecting.remove(peer);
    }
  }

  /** Closes a connection over which nothing was ever sent. */
  private void discard(Connection connection) {
    readiness.forget(connection);
    connection.close(new Operations<>(), Errno.ECONNRESET, "");
    traffic.closedChannel();
  }

  // Accepting.

  /** Takes connections that others have opened. */
  void accept() {
    try {
      for (SocketChannel channel = listener.accept();
          channel != null;
          channel = listener.accept()) {
        if (greetings.size() >= TcpLimits.MAX_GREETINGS) {
          channel.close();
          continue;
        }
        Connection connection = connection(channel, Connection.State.GREETING);
        connection.deadline = System.nanoTime() + TcpLimits.GREETING_TIMEOUT;
        greetings.add(connection);
        dueAt(connection.deadline);
        traffic.settle(connection);
      }
    } catch (IOException failed) {
      // As a rule there are too many open files: connections wait until some are closed.
      listener.pause();
      dueAt(System.nanoTime() + TcpLimits.LONGEST_PAUSE);
    }
  }

  private void greet(Connection connection) throws IOException {
    if (!connection.readGreeting(message)) {
      return;
    }
    greetings.remove(connection);
    if (message.type() != ConnectionMessage.Type.REQUEST
        || !(connection.channel().getRemoteAddress() instanceof InetSocketAddress host)) {
      throw new ProtocolException("a connection does not begin with a request");
    }
    target.of(host, message.port());
    Peer peer = peer();
    connection.peer = peer;
    switch (judge(peer)) {
      case ACCEPT -> accept(connection, peer);
      case REPLACE -> {
        Connection replaced = peer.connection;
        peer.connection = null;
        if (replaced != null) {
          close(replaced, peer, Errno.ECONNRESET, "the peer " + peer + " has connected anew");
        }
        accept(connection, peer);
      }
      case LOOPBACK -> {
        Connection replaced = peer.loopback;
        if (replaced != null) {
          close(replaced, peer, Errno.ECONNRESET, "replaced");
        }
        peer.loopback = connection;
        respond(connection);
      }
      case REFUSE -> {
        message.answer(ConnectionMessage.Type.REFUSAL, message.incarnation());
        tell(connection.channel());
        discard(connection);
      }
    }
  }

  private ConnectionRules.Verdict judge(Peer peer) {
    int life = message.incarnation();
    Connection present = peer.connection;
    if (present != null && present.isOpen() && present.incarnation == life) {
      // If the peer has closed it, that is to be seen now. What comes of it uses the message.
      int port = message.port();
      traffic.move(present, SelectionKey.OP_READ);
      message.set(ConnectionMessage.Type.REQUEST, ConnectionMessage.VERSION, 0, port, life);
      present = peer.connection;
    }
    return ConnectionRules.judge(
        present == null ? null : present.state(),
        present != null && present.incarnation == life,
        ConnectionRules.compare(peer, ownHigh, ownLow, ownPort));
  }

  private void accept(Connection connection, Peer peer) throws IOException {
    peer.connection = connection;
    respond(connection);
  }

  private void respond(Connection connection) throws IOException {
    int life = message.incarnation();
    ByteOrder order = message.order();
    message.answer(ConnectionMessage.Type.RESPONSE, incarnation);
    tell(connection.channel());
    open(connection, life, order);
  }

  /** Frames may go over a connection from now on. */
  private void open(Connection connection, int life, ByteOrder order) {
    connection.opened(order);
    connection.incarnation = life;
    Peer peer = connection.peer;
    if (peer != null && connection.equals(peer.connection)) {
      connected(peer);
      connection.writer().addAll(peer.waiting);
    }
    traffic.move(connection, SelectionKey.OP_WRITE);
  }

  private void answered(Connection connection) throws IOException {
    if (!connection.readGreeting(message)) {
      return;
    }
    Peer peer = connection.peer;
    switch (message.type()) {
      case RESPONSE -> open(connection, message.incarnation(), message.order());
      case REFUSAL -> {
        if (peer != null) {
          // Its own request is under way, or it still believes in an older connection.
          peer.lastErrno = Errno.ECONNREFUSED;
          peer.lastReason = "it refuses the connection";
          failed(peer, Math.max(peer.pause, TcpLimits.PAUSE_FOR_PEER));
        }
      }
      case REQUEST -> throw new ProtocolException("a request came where an answer belongs");
    }
  }

  // Both.

  /** Does what a connection is ready for. */
  void act(Connection connection, int ready) {
    try {
      switch (connection.state()) {
        case CONNECTING -> {
          if (connection.channel().finishConnect()) {
            request(connection);
          }
        }
        case REQUESTED -> answered(connection);
        case GREETING -> greet(connection);
        case OPEN -> traffic.move(connection, ready);
        case CLOSED -> {
          return;
        }
      }
    } catch (IOException | RuntimeException failed) {
      lost(connection, failed);
    }
    traffic.settle(connection);
  }

  /** A connection is of no use any more. */
  void lost(Connection connection, Exception failed) {
    Peer peer = connection.peer;
    if (peer == null || connection.state() == Connection.State.GREETING) {
      greetings.remove(connection);
      discard(connection);
      if (peer != null && connection.equals(peer.connection)) {
        peer.connection = null;
        reconnect(peer);
      }
    } else if (!connection.isOpen()) {
      failed(peer, failed, peer.pause);
    } else {
      boolean outgoing = connection.equals(peer.connection);
      if (outgoing) {
        peer.connection = null;
      } else if (connection.equals(peer.loopback)) {
        peer.loopback = null;
      }
      close(
          connection,
          peer,
          Errno.ECONNRESET,
          "the connection to " + peer + " is lost: " + failed.getMessage());
      reconnect(peer);
    }
  }

  private void reconnect(Peer peer) {
    if (peer.connection == null && !peer.waiting.isEmpty()) {
      connect(peer);
    }
  }

  /** Closes a connection; its sends of which nothing is out wait for another one. */
  private void close(Connection connection, Peer peer, Errno errno, String reason) {
    readiness.forget(connection);
    Operations<Send> untouched = new Operations<>();
    connection.close(untouched, errno, reason);
    untouched.takeAll(peer.waiting);
    peer.waiting.takeAll(untouched);
    traffic.dropped(connection);
    traffic.closedChannel();
  }

  // Time.

  private void dueAt(long time) {
    if (!isDue || time - due < 0) {
      due = time;
      isDue = true;
      traffic.dueSooner();
    }
  }

  /** Nanoseconds until {@link #tick} has something to do; {@link Long#MAX_VALUE} for never. */
  long patience() {
    return isDue ? Math.max(0, due - System.nanoTime()) : Long.MAX_VALUE;
  }

  /** Does what the time has come for. */
  void tick() {
    if (!isDue) {
      return;
    }
    long now = System.nanoTime();
    if (now - due < 0) {
      return;
    }
    isDue = false;
    if (listener.isPaused()) {
      listener.goOn();
    }
    for (int i = greetings.size() - 1; i >= 0; i--) {
      Connection connection = greetings.get(i);
      if (now - connection.deadline >= 0) {
        greetings.remove(i);
        discard(connection);
      } else {
        dueAt(connection.deadline);
      }
    }
    for (int i = connecting.size() - 1; i >= 0; i--) {
      tick(connecting.get(i), now);
    }
  }

  private void tick(Peer peer, long now) {
    if (now - peer.deadline >= 0) {
      Connection connection = peer.connection;
      peer.connection = null;
      if (connection != null) {
        discard(connection);
      }
      giveUp(peer);
    } else if (peer.connection != null) {
      dueAt(peer.deadline);
    } else if (now - peer.nextAttempt >= 0) {
      attempt(peer);
      dueAt(peer.deadline);
    } else {
      dueAt(peer.nextAttempt);
    }
  }

  /** Closes all connections. What the kernel has been given still goes out. */
  void close() {
    List<Connection> all = new ArrayList<>(greetings);
    peers.forEach(peer -> {
      add(all, peer.connection);
      add(all, peer.loopback);
    });
    for (Connection connection : all) {
      if (connection.isOpen()) {
        finish(connection);
      }
      readiness.forget(connection);
      connection.close(new Operations<>(), Errno.ECANCELED, "the endpoint was closed");
    }
    readiness.forget(listener);
    listener.close();
  }

  private static void add(List<Connection> all, @Nullable Connection connection) {
    if (connection != null) {
      all.add(connection);
    }
  }

  /** A socket that is closed with bytes unread makes the peer lose what it has not read itself. */
  private void finish(Connection connection) {
    Staging staging = pool.borrow();
    try {
      connection.write();
      connection.channel().shutdownOutput();
      int reads = 0;
      while (reads++ < TcpLimits.READS && connection.channel().read(staging.buffer.clear()) > 0) {
        // Nobody wants it any more.
      }
    } catch (IOException alreadyLost) {
      // Closing it is all that is left.
    } finally {
      pool.giveBack(staging);
    }
  }

  static SocketChannel prepared(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return channel;
  }

  InetSocketAddress name() {
    return listener.name();
  }

  boolean isIpv6() {
    return SocketAddresses.isIpv6(listener.name());
  }
}
