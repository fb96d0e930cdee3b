package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.endpoint.TargetAddress;

/**
 * The peers of an endpoint and its connections to them, from the first attempt or request until
 * they are closed or lost. Guarded by the lock of the endpoint, but {@link #patience}.
 */
final class Connections {
  private final RdmTraffic traffic;
  private final Readiness readiness;
  private final Staging.Pool pool;
  private final CoreAddressVector vector;
  private final Listener listener;
  private final TargetAddress target;
  private final int interfaceIndex;
  private final long ownHigh;
  private final long ownLow;
  private final int ownPort;
  private final Peers peers = new Peers();
  private final Due due = new Due();
  private final Connector connector;
  private final Acceptor acceptor;
  private final Handshake handshake;
  private final ConnectionMessage answer = new ConnectionMessage();
  private final AddressKey key = new AddressKey();

  /**
   * No connections yet.
   *
   * @param timeout how long sends wait for a connection, in nanoseconds
   */
  @SuppressWarnings("this-escape") // kept for later
  Connections(
      RdmTraffic traffic,
      Readiness readiness,
      Listener listener,
      CoreAddressVector vector,
      int interfaceIndex,
      Staging.Pool pool,
      long timeout) {
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
    handshake = new Handshake(ownPort);
    connector = new Connector(this, listener, due, timeout);
    acceptor = new Acceptor(this, traffic, listener, due);
  }

  // Peers.

  /** The peer of a handle; throws if the handle has no address that can be sent to. */
  Peer peer(long handle) {
    target.resolve(handle);
    return peer();
  }

  /** The peer that connected from a host, and listens on a port of it. */
  Peer peer(InetSocketAddress host, int port) {
    target.of(host, port);
    return peer();
  }

  /** Which life the entry of a handle has; negative if there is none. */
  long life(long handle) {
    return vector.life(handle);
  }

  /**
   * The peer that a receive is directed at, or null if the entry means any address.
   *
   * @param life of the entry, as it was read before
   */
  @Nullable Peer sender(long handle, long life) {
    if (life == Receive.UNDIRECTED) {
      throw new FabricException(
          Errno.EINVAL,
          "source 0x"
              + Long.toHexString(handle)
              + " names no entry: it was never inserted, or has been removed");
    }
    return target.isAny(handle) ? null : peer(handle);
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

  /** Where a peer's address stands to our own: 0 for the same, negative if it is smaller. */
  int compareWithOwn(Peer peer) {
    return ConnectionRules.compare(peer, ownHigh, ownLow, ownPort);
  }

  // Sends that need a connection.

  /** Refuses a handle to which no connection is and none may be opened. */
  void checkReachable(Peer peer, long handle) {
    if (peer.connection == null && isFirewalled(peer, handle)) {
      throw new FabricException(Errno.EFIREWALLADDR, behindFirewall(peer));
    }
  }

  private boolean isFirewalled(Peer peer, long handle) {
    return peer.firewalled || vector.isFirewalled(handle);
  }

  private static String behindFirewall(Peer peer) {
    return "the peer " + peer + " is behind a firewall: it must connect first";
  }

  /** A send waits until the connection of its peer is open. */
  void await(Peer peer, Send send) {
    if (peer.waiting.isEmpty()) {
      connector.setDeadline(peer);
    }
    peer.waiting.add(send);
    if (peer.connection == null) {
      connector.connect(peer);
    }
  }

  /** Opens a connection to a peer, unless there is one or it is behind a firewall. */
  void warmUp(long handle) {
    Peer peer = peer(handle);
    if (peer.connection == null && !peer.connecting && !isFirewalled(peer, handle)) {
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
      if (isFirewalled(peer, send.destination)) {
        send.owner().fail(send, Errno.EFIREWALLADDR, behindFirewall(peer));
      } else {
        peer.waiting.add(send);
      }
    }
  }

  // Connection messages.

  Connection connection(SocketChannel channel, Connection.State state) {
    return new Connection(readiness, channel, state, this, traffic, pool);
  }

  /** Asks a peer to which TCP has connected. */
  void request(Connection connection) throws IOException {
    handshake.request(connection.channel());
    connection.requested();
  }

  /** Accepts a connection; frames may go over it from now on. */
  void respond(Connection connection, ConnectionMessage request) throws IOException {
    handshake.accept(connection.channel(), request);
    open(connection, request);
  }

  /** Tells a peer that its connection is not wanted. */
  void refuse(Connection connection, ConnectionMessage request) throws IOException {
    handshake.refuse(connection.channel(), request);
    discard(connection);
  }

  private void answered(Connection connection) throws IOException {
    Peer peer = connection.peer;
    if (peer == null || !connection.readGreeting(answer)) {
      return;
    }
    switch (answer.type()) {
      case RESPONSE -> open(connection, answer);
      case REFUSAL -> connector.refused(peer);
      case REQUEST -> throw new ProtocolException("a request came where an answer belongs");
    }
  }

  private void open(Connection connection, ConnectionMessage peers) {
    connection.opened(peers.order());
    connection.incarnation = peers.incarnation();
    Peer peer = connection.peer;
    if (peer != null && connection.equals(peer.connection)) {
      connector.done(peer);
      connection.awaited = !peer.waiting.isEmpty();
      connection.writer().addAll(peer.waiting);
    }
    traffic.move(connection, SelectionKey.OP_WRITE);
  }

  // What happens to connections.

  /** Takes connections that others have opened. */
  void accept() {
    acceptor.accept();
  }

  /** Whether no more connections are accepted. */
  boolean isFull() {
    return readiness.size() >= TcpLimits.MAX_CONNECTIONS;
  }

  void settle(Connection connection) {
    traffic.settle(connection);
  }

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
        case GREETING -> acceptor.greet(connection);
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
  void lost(Connection connection, Throwable failed) {
    Peer peer = connection.peer;
    switch (connection.state()) {
      case GREETING -> {
        acceptor.forget(connection);
        discard(connection);
        if (peer != null && detach(connection, peer)) {
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
        if (peer != null) {
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
    if (was && fruitless && !peer.waiting.isEmpty()) {
      failUnreachable(peer);
      connector.failedOpen(peer, failed);
    } else {
      reconnect(peer);
    }
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

  /** Closes a connection; its sends of which nothing is out wait for another one. */
  void close(Connection connection, Peer peer, String reason) {
    readiness.forget(connection);
    Operations<Send> untouched = new Operations<>();
    connection.close(untouched, Errno.ECONNRESET, reason);
    untouched.takeAll(peer.waiting);
    peer.waiting.takeAll(untouched);
    traffic.dropped(connection);
    traffic.closedChannel();
  }

  /** Closes the connection of a peer that did not get as far as being open. */
  void discardConnecting(Peer peer) {
    Connection connection = peer.connection;
    peer.connection = null;
    if (connection != null) {
      discard(connection);
    }
  }

  /** Closes a connection over which nothing was ever sent. */
  void discard(Connection connection) {
    readiness.forget(connection);
    connection.abandon();
    traffic.closedChannel();
  }

  // Time.

  /** Something is to be done at a time. */
  void dueAt(long time) {
    if (due.at(time)) {
      traffic.dueSooner();
    }
  }

  /** Nanoseconds until {@link #tick} has something to do; {@link Long#MAX_VALUE} for never. */
  long patience() {
    return due.patience();
  }

  /** Does what the time has come for. */
  void tick() {
    if (!due.isPast()) {
      return;
    }
    due.begin();
    try {
      long now = due.now();
      acceptor.tick(now);
      connector.tick(now);
    } finally {
      due.collect();
    }
  }

  // Closing.

  /**
   * Closes all connections, and drops what is posted. What the kernel has been given still goes
   * out.
   */
  void close() {
    List<Connection> all = new ArrayList<>(acceptor.greetings());
    peers.forEach(peer -> {
      add(all, peer.connection);
      add(all, peer.loopback);
    });
    for (Connection connection : all) {
      if (connection.isOpen()) {
        finish(connection);
      }
      readiness.forget(connection);
      connection.abandon();
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
      while (reads++ < TcpLimits.LAST_READS
          && connection.channel().read(staging.buffer.clear()) > 0) {
        // Nobody wants it any more.
      }
    } catch (IOException | RuntimeException alreadyLost) {
      // Closing it is all that is left.
    } finally {
      pool.giveBack(staging);
    }
  }

  static SocketChannel prepared(SocketChannel channel) throws IOException {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      KeepAlive.prepare(channel);
      return channel;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }
}
