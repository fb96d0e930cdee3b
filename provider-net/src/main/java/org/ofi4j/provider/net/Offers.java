// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.NodeService;
import org.ofi4j.Refusal;
import org.ofi4j.provider.kit.HintCheck;
import org.ofi4j.provider.kit.HostLookup;
import org.ofi4j.provider.net.endpoint.LocalAddress;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/** Answers one set of hints: what each address of this host has to offer for a protocol. */
final class Offers {
  private static final Set<AddressFormat> FORMATS =
      EnumSet.of(
          AddressFormat.SOCKADDR_IN,
          AddressFormat.SOCKADDR_IN6,
          AddressFormat.SOCKADDR,
          AddressFormat.SOCKADDR_IP,
          AddressFormat.STR);

  /** The longest text of a socket address, with its zero byte. */
  private static final int MAX_TEXT = 72;

  private static final int PACKED_IPV4 = 16;
  private static final int PACKED_IPV6 = 28;

  /** Where no datagram goes when the kernel is asked for a route. */
  private static final int DISCARD_PORT = 9;

  private final Protocol protocol;
  private final Hints hints;
  private final FabricInfo most;
  private final HintCheck check;
  private List<LocalAddress> locals = List.of();
  private @Nullable InetSocketAddress source;
  private @Nullable InetSocketAddress destination;
  private int ownPort;

  Offers(Protocol protocol, Hints hints) {
    this.protocol = protocol;
    this.hints = hints;
    most = protocol.most(hints);
    check =
        new HintCheck(hints, most)
            .subject(protocol.have())
            .types(protocol.types())
            .mostPosted(protocol.mostPosted());
  }

  /** Signals a hint that cannot be met. */
  private final class Unmet extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Refusal refusal;

    Unmet(String asked, String instead) {
      super(asked);
      refusal = check.refusal(asked, instead);
    }
  }

  InfoAnswer answer() {
    List<Refusal> refusals = new ArrayList<>(check.refusals());
    AddressFormat format = hints.addressFormat();
    if (format != AddressFormat.UNSPECIFIED && !FORMATS.contains(format)) {
      refusals.add(check.refusal("address format " + format, "there are " + FORMATS));
    }
    if (hints.authKeys().keysInVector()
        && hints.receiveContexts() == EndpointAttributes.SHARED_CONTEXT) {
      refusals.add(
          check.refusal(
              "rx_ctx_cnt SHARED_CONTEXT with authorization keys",
              "endpoints with keys share no receives: leave one of the two out"));
    }
    if (!refusals.isEmpty()) {
      return new InfoAnswer(List.of(), refusals);
    }
    try {
      collect();
      narrow();
      resolve();
      narrowToRoute();
      return new InfoAnswer(locals.stream().map(this::offer).toList(), List.of());
    } catch (Unmet unmet) {
      return new InfoAnswer(List.of(), List.of(unmet.refusal));
    }
  }

  /** The addresses of this host that have the format, length and reach asked for. */
  private void collect() throws Unmet {
    try {
      locals = LocalAddress.all();
    } catch (SocketException failed) {
      throw new Unmet("this host's interfaces", "cannot be listed: " + failed.getMessage());
    }
    if (locals.isEmpty()) {
      throw new Unmet("this host's interfaces", "none of them is up and has an address");
    }
    AddressFormat format = hints.addressFormat();
    keep(
        local -> format.isCompatibleWith(family(local.isIpv6())) || format == AddressFormat.STR,
        "address format " + format,
        local -> local.isIpv6() ? "IPv6" : "IPv4");
    keep(
        local -> hints.limits().maxMessageSize() <= protocol.maxMessage(local.isIpv6()),
        "max_msg_size " + hints.limits().maxMessageSize(),
        local -> protocol.maxMessage(local.isIpv6()) + " over " + local.interfaceName());
    keep(
        local -> !asks(Capability.REMOTE_COMM) || !local.loopback(),
        "capability REMOTE_COMM",
        LocalAddress::interfaceName);
  }

  /** Keeps what fabric, domain and addresses leave. */
  private void narrow() throws Unmet {
    String fabric = hints.fabric();
    String domain = hints.domain();
    if (fabric != null) {
      keep(
          local -> local.network().equals(fabric),
          "fabric \"" + fabric + "\"",
          LocalAddress::network);
    }
    if (domain != null) {
      keep(
          local -> local.interfaceName().equals(domain),
          "domain \"" + domain + "\"",
          LocalAddress::interfaceName);
    }
    if (hints.source() instanceof FabricAddress address) {
      source = kept("source", jdkAddress("source", address), Offers::at);
    }
    if (hints.destination() instanceof FabricAddress address) {
      destination = kept("destination", jdkAddress("destination", address), Offers::sameFamily);
    }
  }

  /** Nodes and services, for which the addresses that are left by the other hints decide. */
  private void resolve() throws Unmet {
    if (hints.source() instanceof NodeService named) {
      if (named.node() == null) {
        // A port on whichever address.
        ownPort = named(named, List.of(InetAddress.ofLiteral("0.0.0.0"))).getFirst().getPort();
      } else {
        source = kept("source", best(named, List.of(), Offers::at), Offers::at);
      }
    }
    if (hints.destination() instanceof NodeService named) {
      List<InetAddress> loopbacks =
          List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1"));
      InetSocketAddress best = best(named, loopbacks, Offers::sameFamily);
      destination = kept("destination", best, Offers::sameFamily);
    }
  }

  /** The first address that fits one of this host's. */
  private InetSocketAddress best(
      NodeService named,
      List<InetAddress> withoutNode,
      Function<InetSocketAddress, Predicate<LocalAddress>> fits)
      throws Unmet {
    List<InetSocketAddress> found = named(named, withoutNode);
    return found.stream()
        .filter(each -> locals.stream().anyMatch(fits.apply(each)))
        .findFirst()
        .orElseThrow(() ->
            new Unmet(
                (named.node() == null ? "service \"" + named.service() : "node \"" + named.node())
                    + "\" is "
                    + found,
                "this host has "
                    + locals.stream()
                        .map(local ->
                            (local.isIpv6() ? "IPv6 " : "IPv4 ")
                                + LocalAddress.text(local.address()))
                        .collect(Collectors.joining(", "))
                    + " for these hints"));
  }

  private List<InetSocketAddress> named(NodeService named, List<InetAddress> withoutNode)
      throws Unmet {
    try {
      return HostLookup.addresses(named, hints.resolver(), withoutNode);
    } catch (HostLookup.Unknown unknown) {
      throw new Unmet(
          String.valueOf(unknown.getMessage()), "give an address, or names that this host knows");
    }
  }

  /** Keeps the addresses that fit a source or destination. */
  private InetSocketAddress kept(
      String hint,
      InetSocketAddress address,
      Function<InetSocketAddress, Predicate<LocalAddress>> fits)
      throws Unmet {
    keep(
        fits.apply(address),
        hint + " " + FabricAddress.of(address),
        local -> LocalAddress.text(local.address()));
    return address;
  }

  /** Keeps the interface through which the kernel would reach the destination, if it knows one. */
  private void narrowToRoute() {
    InetSocketAddress to = destination;
    if (to == null || source != null) {
      return;
    }
    InetAddress chosen = chosenByKernel(to);
    if (chosen == null) {
      return;
    }
    List<LocalAddress> onRoute = locals.stream().filter(local -> sameHost(local, chosen)).toList();
    if (!onRoute.isEmpty()) {
      locals = onRoute;
    }
  }

  private static @Nullable InetAddress chosenByKernel(InetSocketAddress to) {
    try (DatagramChannel probe = DatagramChannel.open(SocketAddresses.family(to))) {
      int port = to.getPort() == 0 ? DISCARD_PORT : to.getPort();
      // Connecting a datagram socket sends nothing.
      probe.connect(new InetSocketAddress(to.getAddress(), port));
      return probe.getLocalAddress() instanceof InetSocketAddress local ? local.getAddress() : null;
    } catch (IOException | RuntimeException noRoute) {
      return null;
    }
  }

  private FabricInfo offer(LocalAddress local) {
    AddressFormat format =
        hints.addressFormat() == AddressFormat.UNSPECIFIED
            ? family(local.isIpv6())
            : hints.addressFormat();
    InetSocketAddress from =
        source == null ? new InetSocketAddress(local.address(), ownPort) : source;
    long reach = local.loopback() ? ~Capability.REMOTE_COMM.mask() : -1L;
    return check.granted(
        most.toBuilder()
            .capabilities(most.capabilities() & reach)
            .addressFormat(format)
            .source(SocketAddresses.inFormat(from, format))
            .destination(destination == null ? null : SocketAddresses.inFormat(destination, format))
            .fabric(most.fabric().toBuilder().name(local.network()).build())
            .domain(
                most.domain().toBuilder()
                    .name(local.interfaceName())
                    .maxErrorData(maxErrorData(format))
                    .build())
            .endpoint(
                most.endpoint().toBuilder()
                    .maxMessageSize(protocol.maxMessage(local.isIpv6()))
                    .build())
            .build());
  }

  private static int maxErrorData(AddressFormat format) {
    return switch (format) {
      case STR -> MAX_TEXT;
      case SOCKADDR_IN -> PACKED_IPV4;
      default -> PACKED_IPV6;
    };
  }

  private InetSocketAddress jdkAddress(String hint, FabricAddress address) throws Unmet {
    try {
      return SocketAddresses.of(address);
    } catch (FabricException noSocketAddress) {
      throw new Unmet(hint + " " + address, String.valueOf(noSocketAddress.getMessage()));
    }
  }

  private void keep(Predicate<LocalAddress> fits, String asked, Function<LocalAddress, String> what)
      throws Unmet {
    List<LocalAddress> kept = locals.stream().filter(fits).toList();
    if (kept.isEmpty()) {
      throw new Unmet(
          asked,
          "this host has "
              + locals.stream().map(what).distinct().collect(Collectors.joining(", ")));
    }
    locals = kept;
  }

  /** Whether a source is one of a local address's. */
  private static Predicate<LocalAddress> at(InetSocketAddress source) {
    InetAddress address = source.getAddress();
    // A whole IPv4 network is loopback, although the interface names one address of it.
    return sameFamily(source)
        .and(local ->
            address.isAnyLocalAddress()
                || (local.loopback() && address.isLoopbackAddress())
                || sameHost(local, address));
  }

  /** Whether an address is the local one; the scope may be left out. */
  private static boolean sameHost(LocalAddress local, InetAddress address) {
    return local.address().equals(address)
        && (!(address instanceof Inet6Address v6)
            || v6.getScopeId() == 0
            || !v6.isLinkLocalAddress()
            || v6.getScopeId() == local.interfaceIndex());
  }

  private static Predicate<LocalAddress> sameFamily(InetSocketAddress address) {
    return local -> local.isIpv6() == SocketAddresses.isIpv6(address);
  }

  private boolean asks(Capability capability) {
    return (hints.capabilities() & capability.mask()) != 0;
  }

  private static AddressFormat family(boolean ipv6) {
    return ipv6 ? AddressFormat.SOCKADDR_IN6 : AddressFormat.SOCKADDR_IN;
  }
}
