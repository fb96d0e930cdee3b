package org.ofi4j.provider.net;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

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
    InetSocketAddress wanted = scoped(wanted(info, domain), domain);
    StandardProtocolFamily family =
        SocketAddresses.isIpv6(wanted) ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    DatagramChannel channel = null;
    try {
      channel = DatagramChannel.open(family);
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER);
      channel.bind(wanted);
      InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
      return new LocalSocket(channel, local, reachable(local, domain));
    } catch (IOException | RuntimeException failed) {
      closeQuietly(channel);
      throw new FabricException(
          errno(failed, wanted.getAddress()),
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

  private static Errno errno(Exception failed, InetAddress address) {
    Errno known = NetworkErrors.of(failed);
    if (known != Errno.EIO || !(failed instanceof BindException)) {
      return known;
    }
    // The words are those of another language than English.
    return isOfThisHost(address) ? Errno.EADDRINUSE : Errno.EADDRNOTAVAIL;
  }

  private static boolean isOfThisHost(InetAddress address) {
    try {
      return address.isAnyLocalAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException unknown) {
      return false;
    }
  }

  private static InetSocketAddress wanted(FabricInfo info, FabricInfo domain) {
    FabricAddress source = info.source();
    if (source != null) {
      return SocketAddresses.of(source);
    }
    FabricAddress own = domain.source();
    if (own != null) {
      return new InetSocketAddress(SocketAddresses.of(own).getAddress(), 0);
    }
    return info.addressFormat() == AddressFormat.SOCKADDR_IN6
        ? SocketAddresses.ofIpv6(0, 0, 0, 0)
        : SocketAddresses.ofIpv4(0, 0);
  }

  /** A link-local address is bound on the domain's link if it names none. */
  private static InetSocketAddress scoped(InetSocketAddress address, FabricInfo domain) {
    return address.getAddress().isLinkLocalAddress() && SocketAddresses.isIpv6(address)
        ? SocketAddresses.withScope(address, interfaceIndex(domain))
        : address;
  }

  /** The number of the domain's interface, which scopes link-local addresses; 0 if it is gone. */
  static int interfaceIndex(FabricInfo domain) {
    try {
      NetworkInterface present = NetworkInterface.getByName(domain.domain().name());
      return present == null ? 0 : present.getIndex();
    } catch (SocketException unknown) {
      return 0;
    }
  }

  /** Bound to any address, the endpoint is reached at the one of its domain. */
  private static InetSocketAddress reachable(InetSocketAddress local, FabricInfo domain)
      throws SocketException {
    if (!local.getAddress().isAnyLocalAddress()) {
      return local;
    }
    return reachable(local, domain, LocalAddress.all());
  }

  static InetSocketAddress reachable(
      InetSocketAddress local, FabricInfo domain, List<LocalAddress> present) {
    boolean ipv6 = SocketAddresses.isIpv6(local);
    return present.stream()
        .filter(each -> each.isIpv6() == ipv6)
        .filter(each -> each.interfaceName().equals(domain.domain().name()))
        // An interface may have addresses in several networks; one of them is the fabric.
        .min(Comparator.comparing(each -> !each.network().equals(domain.fabric().name())))
        .map(each -> new InetSocketAddress(each.address(), local.getPort()))
        .orElseThrow(() ->
            new FabricException(
                Errno.EADDRNOTAVAIL,
                "interface "
                    + domain.domain().name()
                    + " has no "
                    + (ipv6 ? "IPv6" : "IPv4")
                    + " address under which peers would reach the endpoint"));
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
