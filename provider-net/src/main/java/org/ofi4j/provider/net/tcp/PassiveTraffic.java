// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.wire.ProtocolException;

/** A passive endpoint that listens: connections come to it, and no messages. */
final class PassiveTraffic extends TcpTraffic {
  private final ConnectionRequests requests;

  /** What would come after a request was accepted, by an endpoint. */
  static final FrameHandler NO_FRAMES =
      _ -> {
        throw new ProtocolException("a frame came to a passive endpoint");
      };

  private final Security security;

  /**
   * Listens, but takes no connections before it is joined.
   *
   * @param own a selector of its own, or null if a thread tells what is ready
   */
  PassiveTraffic(
      ListeningSettings settings,
      NetProgress engine,
      LocalSocket<ServerSocketChannel> socket,
      @Nullable Selector own,
      Staging.Pool pool) {
    super(
        SocketAddresses.inFormat(socket.name(), settings.info().addressFormat()),
        Stream.of(engine),
        own,
        pool,
        null);
    security = new Security(settings.security(), pool);
    Listener listener = new Listener(readiness(), socket, this::accept);
    requests = new ConnectionRequests(this, settings, listener);
    listener.goOn();
  }

  @Override
  ConnectionRequests connections() {
    return requests;
  }

  private void accept() {
    requests.accept();
  }

  /** A connection over which nothing has come yet. */
  Connection connection(SocketChannel channel, InetSocketAddress from) throws IOException {
    SecureChannel secure = security.over(channel, from, false);
    return new Connection(channel, secure, Connection.State.GREETING, requests);
  }

  /** Lets go of a connection that stays open. */
  void release(Connection connection) throws IOException {
    readiness().release(connection);
    // Whoever sleeps must let go of it too.
    mover().forget(connection);
    mover().dueSooner();
  }

  void claim(ConnectionRequest request) {
    if (request.fate != ConnectionRequest.Fate.WAITING) {
      request.checkWaiting();
    }
    lock();
    try {
      requests.claim(request);
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, request + " cannot be accepted: " + failed, failed);
    } finally {
      unlock();
    }
  }

  void reject(ConnectionRequest request, byte[] data) {
    lock();
    try {
      if (request.fate != ConnectionRequest.Fate.GONE) {
        requests.reject(request, data);
      }
    } finally {
      unlock();
    }
  }
}
