// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import org.ofi4j.Event;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.kit.WaitingByHost;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Who wants to connect to a passive endpoint, from being accepted by TCP until there is an answer,
 * or the time for that is over. The backlog bounds them, and one host has a part of it only.
 * Requests for which the event queue has no room are kept, and count. Guarded by the lock of the
 * passive endpoint, but {@link #patience}.
 */
final class ConnectionRequests extends Connection.Owner {
  private static final byte[] NOTHING = {};

  private final ListeningTransport passive;
  private final PassiveEndpoint source;
  private final FabricInfo info;
  // Events for which the queue had no room.
  private final UnreportedEvents unreported;
  private final Listener listener;
  private final ConnectionMessage message = new ConnectionMessage();

  // Those that wait for an answer, each as long as the others; and by the connection over which
  // they came.
  private final WaitingByHost<ConnectionRequest> requests = new WaitingByHost<>();
  private final Map<Connection, ConnectionRequest> waiting = new HashMap<>();

  private final int backlog;
  private final long answerTimeout;

  @SuppressWarnings("this-escape") // kept for later
  ConnectionRequests(
      ListeningTransport passive,
      PassiveEndpoint source,
      FabricInfo info,
      Events events,
      PassiveOptions options,
      LocalSocket<ServerSocketChannel> socket,
      Security security) {
    super(passive.endpoint.mover(), security);
    this.passive = passive;
    this.source = source;
    this.info = info;
    unreported = new UnreportedEvents(events);
    backlog = options.backlog();
    answerTimeout = ConnectionSettings.nanoseconds(options.answerTimeout());
    listener = new Listener(this, socket);
    listener.goOn();
  }

  @Override
  protected FrameHandler handler(Connection connection) {
    return ListeningTransport.NO_FRAMES;
  }

  @Override
  protected void proceed(Connection connection, int ready) throws IOException {
    ConnectionRequest request = waiting.get(connection);
    if (request != null) {
      request.checkSilent();
    } else if (connection.state() == Connection.State.GREETING) {
      greet(connection);
    }
  }

  private void greet(Connection connection) throws IOException {
    if (!listener.read(connection)) {
      return;
    }
    ConnectionMessage asked = connection.greeting();
    listener.forget(connection);
    SocketChannel channel = connection.channel();
    if (asked.type() != ConnectionMessage.Type.REQUEST
        || !(channel.getRemoteAddress() instanceof InetSocketAddress peer)
        || !(channel.getLocalAddress() instanceof InetSocketAddress local)) {
      throw new ProtocolException("a connection does not begin with a request");
    }
    if (!requests.makeSpace(peer.getAddress(), backlog, this::giveUp)) {
      refuse(connection, NOTHING);
      discard(connection);
      return;
    }
    ConnectionRequest request = new ConnectionRequest(passive, connection, peer, asked.order());
    waiting.put(connection, request);
    requests.add(request, peer.getAddress());
    connection.deadline = now() + answerTimeout;
    dueAt(connection.deadline);
    FabricInfo its =
        info.withSource(SocketAddresses.inFormat(local, info.addressFormat()))
            .withRequest(request, SocketAddresses.inFormat(peer, info.addressFormat()));
    unreported.add(Event.ConnectionRequest.of(source, its, asked.data()));
    reportKept();
  }

  private void reportKept() {
    if (!unreported.report()) {
      dueAt(now() + TcpLimits.LONGEST_PAUSE);
    }
  }

  // Answers.

  /** Takes a request out that waits for an answer. */
  private void remove(ConnectionRequest request, ConnectionRequest.Fate fate) {
    requests.remove(request);
    waiting.remove(request.connection);
    request.fate = fate;
  }

  void claim(ConnectionRequest request) throws IOException {
    request.checkWaiting();
    remove(request, ConnectionRequest.Fate.CLAIMED);
    passive.release(request.connection);
  }

  void reject(ConnectionRequest request, byte[] data) {
    request.checkWaiting();
    remove(request, ConnectionRequest.Fate.REJECTED);
    refuse(request.connection, data);
    discard(request.connection);
  }

  private void refuse(Connection connection, byte[] data) {
    message.set(ConnectionMessage.Type.REFUSAL, data);
    try {
      message.writeTo(connection.out());
      connection.channel().shutdownOutput();
    } catch (IOException alreadyGone) {
      // It does not want to know any more.
    }
  }

  @Override
  protected void ended(Connection connection, Throwable failed) {
    listener.forget(connection);
    ConnectionRequest request = waiting.get(connection);
    if (request != null) {
      forget(request);
    }
    discard(connection);
  }

  /** A request is not there any more, whether the application knows of it or not. */
  private void forget(ConnectionRequest request) {
    remove(request, ConnectionRequest.Fate.GONE);
    unreported.drop(event ->
        event instanceof Event.ConnectionRequest its && request.equals(its.info().handle()));
  }

  /** Refuses a request that the application has not answered. */
  private void giveUp(ConnectionRequest request) {
    forget(request);
    refuse(request.connection, NOTHING);
    discard(request.connection);
  }

  /** Refuses those that have waited for too long: a peer that never gives up takes no place. */
  private void expire(long now) {
    for (ConnectionRequest oldest = requests.oldest(); oldest != null; oldest = requests.oldest()) {
      if (now < oldest.connection.deadline) {
        dueAt(oldest.connection.deadline);
        return;
      }
      giveUp(oldest);
    }
  }

  @Override
  protected void tick(long now) {
    listener.tick(now);
    expire(now);
    reportKept();
  }

  @Override
  public void close(Trouble trouble) {
    listener.close();
    for (ConnectionRequest request : requests.all()) {
      request.fate = ConnectionRequest.Fate.GONE;
      try {
        refuse(request.connection, NOTHING);
      } catch (RuntimeException | Error failed) {
        trouble.note(failed);
      }
      request.connection.abandon();
    }
    requests.clear();
    for (Connection connection : listener.all()) {
      connection.abandon();
    }
    waiting.clear();
    unreported.drop(_ -> true);
  }
}
