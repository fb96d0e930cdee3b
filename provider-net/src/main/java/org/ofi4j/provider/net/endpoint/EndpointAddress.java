// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

/** Where an endpoint is bound, and where its peers reach it. */
public final class EndpointAddress {
  private EndpointAddress() {}

  /**
   * Refuses an address of another family, which would be of no use to vectors and peers.
   *
   * @param source the address to bind, or null for any
   * @param own the format of what the endpoint is on, or of itself
   */
  public static void checkSource(@Nullable FabricAddress source, AddressFormat own, Object who) {
    if (source == null) {
      return;
    }
    AddressFormat its =
        SocketAddresses.isIpv6(SocketAddresses.of(source))
            ? AddressFormat.SOCKADDR_IN6
            : AddressFormat.SOCKADDR_IN;
    if (own != AddressFormat.STR && !own.isCompatibleWith(its)) {
      throw invalid(
          ("source %s is of format %s, but %s has %s: give an address of that format, or ask"
                  + " for information with the other one")
              .formatted(source, its, who, own));
    }
  }

  /**
   * The address to bind.
   *
   * @param info says which; without one, that of the domain, or any of its family
   * @param domain says which interface the endpoint is on
   */
  public static InetSocketAddress toBind(FabricInfo info, FabricInfo domain) {
    InetSocketAddress wanted = wanted(info, domain);
    // A link-local address is bound on the domain's link if it names none.
    return wanted.getAddress().isLinkLocalAddress() && SocketAddresses.isIpv6(wanted)
        ? SocketAddresses.withScope(wanted, interfaceIndex(domain))
        : wanted;
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

  /** The number of the domain's interface, which scopes link-local addresses; 0 if it is gone. */
  public static int interfaceIndex(FabricInfo domain) {
    try {
      NetworkInterface present = NetworkInterface.getByName(domain.domain().name());
      return present == null ? 0 : present.getIndex();
    } catch (SocketException unknown) {
      return 0;
    }
  }

  /** Bound to any address, the endpoint is reached at the one of its domain. */
  public static InetSocketAddress reachable(InetSocketAddress local, FabricInfo domain)
      throws SocketException {
    return local.getAddress().isAnyLocalAddress()
        ? reachable(local, domain, LocalAddress.all())
        : local;
  }

  /** As {@link #reachable(InetSocketAddress, FabricInfo)}, on a host with these addresses. */
  public static InetSocketAddress reachable(
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

  /** Why an address could not be bound. */
  public static Errno errno(Exception failed, InetAddress address) {
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
}
