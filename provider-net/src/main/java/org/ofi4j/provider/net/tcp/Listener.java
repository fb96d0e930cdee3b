package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/**
 * The socket at an endpoint's address: others connect to it, and own connections come from its host
 * address, by which peers know the endpoint. Guarded by the lock of the endpoint.
 */
final class Listener extends Readiness.Watched {
  private final Readiness readiness;
  private final RdmTraffic traffic;
  private final Socket socket;
  private boolean paused;

  /**
   * A socket that listens.
   *
   * @param channel its channel, which does not block
   * @param local where it is bound; may be any address of the host
   * @param name where peers reach it: never any address, never port 0
   */
  record Socket(ServerSocketChannel channel, InetSocketAddress local, InetSocketAddress name) {
    /**
     * Opens and binds a socket.
     *
     * @param info says which address to bind; without one, that of the domain
     * @param domain says which interface the endpoint is on
     * @throws FabricException with the errno of the network if the address cannot be used
     */
    static Socket open(FabricInfo info, FabricInfo domain) {
      InetSocketAddress wanted = EndpointAddress.toBind(info, domain);
      ServerSocketChannel channel = null;
      try {
        channel = ServerSocketChannel.open(family(wanted));
        channel.configureBlocking(false);
        // An endpoint that is opened again finds connections of its former life still closing.
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        channel.bind(wanted, TcpLimits.BACKLOG);
        InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
        return new Socket(channel, local, EndpointAddress.reachable(local, domain));
      } catch (IOException | RuntimeException failed) {
        closeQuietly(channel);
        throw new FabricException(
            EndpointAddress.errno(failed, wanted.getAddress()),
            "the endpoint's address "
                + FabricAddress.of(wanted)
                + " cannot be used: "
                + failed.getMessage(),
            failed);
      }
    }

    private static StandardProtocolFamily family(InetSocketAddress address) {
      return SocketAddresses.isIpv6(address)
          ? StandardProtocolFamily.INET6
          : StandardProtocolFamily.INET;
    }

    private static void closeQuietly(@Nullable ServerSocketChannel channel) {
      if (channel != null) {
        try {
          channel.close();
        } catch (IOException alreadyUseless) {
          // The reason why it is closed is reported.
        }
      }
    }
  }

  Listener(Readiness readiness, RdmTraffic traffic, Socket socket) {
    super(readiness, socket.channel());
    this.readiness = readiness;
    this.traffic = traffic;
    this.socket = socket;
  }

  InetSocketAddress name() {
    return socket.name();
  }

  boolean isIpv6() {
    return SocketAddresses.isIpv6(socket.local());
  }

  /** Whether an IPv6 socket also speaks IPv4: the JDK's do, unless bound to one address. */
  boolean isDualStack() {
    return isIpv6() && socket.local().getAddress().isAnyLocalAddress();
  }

  /** Takes a connection that has been opened to us; null if there is none. */
  @Nullable SocketChannel accept() throws IOException {
    return socket.channel().accept();
  }

  /** A channel for a connection of our own. */
  SocketChannel open() throws IOException {
    SocketChannel channel = SocketChannel.open(Socket.family(socket.local()));
    try {
      Connections.prepared(channel);
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
    traffic.accept();
  }

  /** Accepts from now on. */
  void goOn() {
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

  void close() {
    Socket.closeQuietly(socket.channel());
  }
}
