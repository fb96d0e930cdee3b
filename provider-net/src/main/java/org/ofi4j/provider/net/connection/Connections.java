// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.FlightRecording;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.security.KeyDialogue;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.sharedmemory.MemorySharing;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.Agreement;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.KeyStep;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * The connections of an endpoint that opens and accepts them by itself, from the first attempt or
 * request until they are closed or lost; and sends that need one. Guarded by the lock of the
 * endpoint, but {@link #patience}.
 */
public final class Connections extends Connection.Owner {
  private final Function<Connection, FrameHandler> handlers;
  private final Listener listener;
  private final PeerDirectory peers;
  private final PeerEvents events;
  private final ConnectionWatch watch;
  private final Connector connector;
  private final Handshake handshake;
  private final ConnectionSettings settings;

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
      LocalSocket<ServerSocketChannel> socket,
      PeerDirectory peers,
      Handshake handshake,
      ConnectionSettings settings,
      @Nullable Runnable beat) {
    super(mover, new Security(settings.security(), mover.buffers()));
    this.handlers = handlers;
    this.peers = peers;
    this.handshake = handshake;
    this.settings = settings;
    events = new PeerEvents(settings.endpoint(), settings.events(), peers.entries());
    watch = new ConnectionWatch(settings.peerTimeout(), settings.idleTimeout(), this, beat);
    listener = new Listener(this, socket);
    connector = new Connector(this, handshake, listener, settings.connectTimeout());
    listener.goOn();
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

  /** Reads what an accepted connection says about itself, and does what follows from it. */
  private void greet(Connection connection) throws IOException {
    if (!listener.read(connection)) {
      return;
    }
    ConnectionMessage its = connection.greeting();
    if (its.isRequestOfRxm()) {
      mover
          .rejections()
          .warn(
              connection.channel(),
              "it asks as tcp;ofi_rxm does, which is another protocol: C programs reach this"
                  + " endpoint with provider tcp alone, FI_PROTO_XNET (net in libfabric 1.16 and"
                  + " 1.17), and without atomics");
      refuse(connection);
      return;
    }
    KeyDialogue begun = connection.dialogue;
    KeyStep step = begun == null ? KeyStep.REQUEST : begun.step();
    if (its.type() != step.message()
        || its.port() == 0
        || !(connection.channel().getRemoteAddress() instanceof InetSocketAddress host)) {
      throw new ProtocolException("a connection does not begin with a request");
    }
    try {
      if (!handshake.isProven(connection)) {
        // The confirmation may have been decrypted already, of which no selector knows.
        greet(connection);
        return;
      }
    } catch (UnprovenException reason) {
      mover.rejections().note(connection.channel(), reason);
      refuse(connection);
      return;
    }
    KeyDialogue proven = connection.dialogue;
    int authKey = proven == null ? KeyDialogue.NO_KEY : proven.key();
    Peer peer = peers.peer(host, its.port(), authKey);
    connection.peer = peer;
    ConnectionRules.Verdict verdict = judge(connection, peer, its.incarnation());
    if (verdict == ConnectionRules.Verdict.REFUSE) {
      refuse(connection);
      return;
    }
    listener.forget(connection);
    if (verdict == ConnectionRules.Verdict.LOOPBACK) {
      Connection replaced = peer.loopback;
      if (replaced != null) {
        close(replaced, peer, "replaced by a new connection");
      }
      peer.loopback = connection;
    } else {
      Connection replaced = peer.connection;
      peer.connection = null;
      if (replaced != null) {
        replace(replaced, peer, its.incarnation());
      }
      peer.connection = connection;
      peer.firewalled = its.isFirewalled();
    }
    open(connection, handshake.respond(connection));
  }

  private void refuse(Connection connection) throws IOException {
    listener.forget(connection);
    handshake.refuse(connection);
    discard(connection);
  }

  private ConnectionRules.Verdict judge(Connection connection, Peer peer, int incarnation)
      throws IOException {
    boolean own = isOwn(connection, peer.connection);
    Connection old = peer.connection;
    if (!own && old != null && old.isOpen()) {
      // Frames that the peer sent over it before are not lost; and if it has closed it, that is
      // seen.
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

  private void answered(Connection connection) throws IOException {
    Agreement agreed = handshake.answered(connection);
    if (agreed != null) {
      open(connection, agreed);
    }
  }

  private void open(Connection connection, Agreement agreed) throws IOException {
    ConnectionMessage its = connection.greeting();
    connection.opened(its.order(), its.isAnnouncing(), agreed);
    connection.incarnation = its.incarnation();
    watch.opened(connection);
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
  protected MemorySharing sharing() {
    return settings.sharing();
  }

  @Override
  protected void shared(Connection connection) {
    super.shared(connection);
    if (FlightRecording.isActive()) {
      new SharedMemoryEvent(settings.endpoint().toString(), String.valueOf(connection.peer))
          .commit();
    }
  }

  @Override
  protected FrameHandler handler(Connection connection) {
    return handlers.apply(connection);
  }

  // Events of connections.

  void settle(Connection connection) {
    mover.settle(connection);
  }

  @Override
  protected void proceed(Connection connection, int ready) throws IOException {
    switch (connection.state()) {
      case CONNECTING -> {
        if (connection.finishConnect()) {
          handshake.request(connection);
        }
      }
      case REQUESTED -> answered(connection);
      case GREETING -> greet(connection);
      case OPEN -> mover.move(connection, ready);
      case CLOSED -> {
        // There is nothing to do.
      }
    }
  }

  @Override
  protected void ended(Connection connection, Throwable failed) {
    Peer peer = connection.peer;
    switch (connection.state()) {
      case GREETING -> {
        listener.forget(connection);
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
  protected boolean isSpare(Connection connection) {
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
    listener.tick(now);
    connector.tick(now);
    watch.tick(now);
  }

  /** Gives peers that want it a sign of life. */
  public void beat() {
    mover.forEachOpen(watch::beat);
  }

  /** A transmit context is closed: what it has posted is not sent any more. */
  public void withdraw(TransmitContext closed) {
    peers.forEach(peer -> {
      if (peer.isAwaited()) {
        closed.withdrawFrom(peer.attempts().waiting);
      }
    });
    mover.forEachOpen(connection -> {
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
    watch.close();
    listener.close();
    mover.end(trouble);
  }
}
