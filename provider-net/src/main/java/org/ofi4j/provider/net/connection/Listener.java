// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The socket at an endpoint's address: others connect to it, and own connections come from its host
 * address, by which peers know the endpoint. Guarded by the lock of the endpoint.
 */
public final class Listener extends Readiness.Watched {
  private final Readiness readiness;
  private final Runnable acceptor;
  private final LocalSocket<ServerSocketChannel> socket;
  private boolean paused;

  /** A socket that listens, as {@link LocalSocket#open} opens it. */
  public static LocalSocket<ServerSocketChannel> socket(FabricInfo info, FabricInfo domain) {
    return LocalSocket.open(info, domain, ServerSocketChannel::open, Listener::bind);
  }

  private static void bind(ServerSocketChannel channel, InetSocketAddress address)
      throws IOException {
    // An endpoint that is opened again finds connections of its former life still closing.
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    channel.bind(address, TcpLimits.BACKLOG);
  }

  /**
   * Does not accept yet.
   *
   * @param acceptor is run when connections wait to be accepted
   */
  public Listener(Readiness readiness, LocalSocket<ServerSocketChannel> socket, Runnable acceptor) {
    super(readiness, socket.channel());
    this.readiness = readiness;
    this.acceptor = acceptor;
    this.socket = socket;
  }

  /** Takes a connection that has been opened to us; null if there is none. */
  @Nullable SocketChannel accept() throws IOException {
    return socket.channel().accept();
  }

  /** A channel for a connection of our own. */
  SocketChannel open() throws IOException {
    SocketChannel channel = SocketChannel.open(SocketAddresses.family(socket.local()));
    try {
      ChannelOptions.set(channel);
      // Else a connection's own port might be the one that a peer wants to listen on again.
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      if (!socket.local().getAddress().isAnyLocalAddress()) {
        channel.bind(new InetSocketAddress(socket.local().getAddress(), 0));
      }
      return channel;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  @Override
  void act(int ready) {
    acceptor.run();
  }

  /** Accepts from now on. */
  public void goOn() {
    paused = false;
    readiness.watch(this, SelectionKey.OP_ACCEPT);
  }

  /** Lets connections wait. */
  void pause() {
    paused = true;
    readiness.watch(this, 0);
  }

  boolean isPaused() {
    return paused;
  }

  public void close() {
    Quietly.close(socket.channel());
  }
}
