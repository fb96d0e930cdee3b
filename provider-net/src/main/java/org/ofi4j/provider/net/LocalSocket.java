package org.ofi4j.provider.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/**
 * An endpoint's socket, bound and ready.
 *
 * @param channel the socket's channel, which does not block
 * @param local where it is bound; may be any address of the host
 * @param name where peers reach it: never any address, never port 0
 */
record LocalSocket(DatagramChannel channel, InetSocketAddress local, InetSocketAddress name) {
  /** Enough for a burst; the kernel gives what its own limit allows. */
  private static final int RECEIVE_BUFFER = 1 << 20;

  /**
   * Opens and binds a socket.
   *
   * @param info says which address to bind; without one, that of the domain
   * @param domain says which interface the endpoint is on
   * @throws FabricException with the errno of the network if the address cannot be used
   */
  static LocalSocket open(FabricInfo info, FabricInfo domain) {
    InetSocketAddress wanted = EndpointAddress.toBind(info, domain);
    StandardProtocolFamily family =
        SocketAddresses.isIpv6(wanted) ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    DatagramChannel channel = null;
    try {
      channel = DatagramChannel.open(family);
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
      channel.bind(wanted);
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      return new LocalSocket(channel, local, EndpointAddress.reachable(local, domain));
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

  boolean isIpv6() {
    return SocketAddresses.isIpv6(local);
  }

  /** Whether an IPv6 socket also speaks IPv4: the JDK's do, unless bound to one address. */
  boolean isDualStack() {
    return isIpv6() && local.getAddress().isAnyLocalAddress();
  }

  private static void closeQuietly(@Nullable DatagramChannel channel) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException alreadyUseless) {
        // The reason why it is closed is reported.
      }
    }
  }
}
