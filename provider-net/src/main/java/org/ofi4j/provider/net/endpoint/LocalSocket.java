// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SelectableChannel;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

/**
 * An endpoint's socket, bound and ready.
 *
 * @param <C> datagrams or connections
 * @param channel the socket's channel, which does not block
 * @param local where it is bound; may be any address of the host
 * @param name where peers reach it: never any address, never port 0
 */
public record LocalSocket<C extends SelectableChannel & NetworkChannel>(
    C channel, InetSocketAddress local, InetSocketAddress name) {
  /**
   * Opens a channel.
   *
   * @param <C> which kind
   */
  @FunctionalInterface
  public interface Opener<C> {
    /** A channel of a family, not bound yet. */
    C open(ProtocolFamily family) throws IOException;
  }

  /**
   * Binds a channel.
   *
   * @param <C> which kind
   */
  @FunctionalInterface
  public interface Binder<C> {
    /** Sets the channel's options and binds it. */
    void bind(C channel, InetSocketAddress address) throws IOException;
  }

  /**
   * Opens and binds a socket.
   *
   * @param <C> datagrams or connections
   * @param info says which address to bind; without one, that of the domain
   * @param domain says which interface the endpoint is on
   * @throws FabricException with the errno of the network if the address cannot be used
   */
  public static <C extends SelectableChannel & NetworkChannel> LocalSocket<C> open(
      FabricInfo info, FabricInfo domain, Opener<C> opener, Binder<C> binder) {
    InetSocketAddress wanted = EndpointAddress.toBind(info, domain);
    C channel = null;
    try {
      channel = opener.open(SocketAddresses.family(wanted));
      channel.configureBlocking(false);
      binder.bind(channel, wanted);
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      return new LocalSocket<>(channel, local, EndpointAddress.reachable(local, domain));
    } catch (IOException | RuntimeException failed) {
      Quietly.close(channel);
      throw new FabricException(
          EndpointAddress.errno(failed, wanted.getAddress()),
          "the endpoint's address %s cannot be used: %s"
              .formatted(FabricAddress.of(wanted), failed.getMessage()),
          failed);
    }
  }

  public boolean isIpv6() {
    return SocketAddresses.isIpv6(local);
  }

  /** Whether an IPv6 socket also speaks IPv4: the JDK's do, unless bound to one address. */
  public boolean isDualStack() {
    return isIpv6() && local.getAddress().isAnyLocalAddress();
  }
}
