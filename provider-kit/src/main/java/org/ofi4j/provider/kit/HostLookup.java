// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressResolver;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.NodeService;
import org.ofi4j.core.address.NumericNode;
import org.ofi4j.core.address.ServicePort;

/**
 * Finds the socket addresses that the node and service of hints name ({@code fi_getinfo}), for
 * offers of a provider over IP. Any thread may call.
 */
public final class HostLookup {
  private HostLookup() {}

  /** Thrown if node and service do not name an address; the message is the reason. */
  public static final class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    private Unknown(String message) {
      super(message);
    }
  }

  /**
   * Returns the addresses that a node and a service name, best first.
   *
   * @param named the node and the service
   * @param resolver resolves names; null for the resolver of the JDK
   * @param withoutNode the hosts that a service alone is on
   * @return at least one address
   * @throws Unknown if they name none
   */
  public static List<InetSocketAddress> addresses(
      NodeService named, @Nullable AddressResolver resolver, List<InetAddress> withoutNode)
      throws Unknown {
    String node = named.node();
    String service = named.service();
    if (node != null && node.contains("://")) {
      return List.of(whole(node, service));
    }
    int port = service == null ? 0 : port(service);
    List<InetAddress> hosts = node == null ? withoutNode : hosts(node, resolver);
    return hosts.stream().map(host -> new InetSocketAddress(host, port)).toList();
  }

  private static InetSocketAddress whole(String node, @Nullable String service) throws Unknown {
    if (service != null) {
      throw new Unknown(
          "node \"%s\" is a whole address, so that service \"%s\" has no place: leave it out"
              .formatted(node, service));
    }
    try {
      return socketAddress(FabricAddress.parse(node));
    } catch (FabricException malformed) {
      throw new Unknown("node \"" + node + "\" is no address: " + malformed.getMessage());
    }
  }

  private static InetSocketAddress socketAddress(FabricAddress address) {
    return switch (address) {
      case FabricAddress.SocketAddress4 v4 -> v4.toSocketAddress();
      case FabricAddress.SocketAddress6 v6 -> v6.toSocketAddress();
      default -> throw Misuse.invalid("address " + address + " is not a socket address");
    };
  }

  private static int port(String service) throws Unknown {
    ServicePort port = ServicePort.of(service, true);
    if (!port.isKnown()) {
      throw new Unknown(port.reason());
    }
    return port.port();
  }

  private static List<InetAddress> hosts(String node, @Nullable AddressResolver resolver)
      throws Unknown {
    FabricAddress numeric;
    try {
      numeric = NumericNode.parse(node);
    } catch (FabricException neither) {
      throw new Unknown(String.valueOf(neither.getMessage()));
    }
    if (numeric != null) {
      return List.of(socketAddress(numeric).getAddress());
    }
    try {
      return resolver == null
          ? List.of(InetAddress.getAllByName(node))
          : checked(resolver.resolve(node), node);
    } catch (UnknownHostException unknown) {
      throw new Unknown("node \"" + node + "\" has no address: " + unknown.getMessage());
    } catch (InterruptedException gaveUp) {
      Thread.currentThread().interrupt();
      throw new Unknown("resolution of node \"" + node + "\" was interrupted");
    } catch (RuntimeException broken) {
      throw new Unknown("the resolver failed for node \"" + node + "\": " + broken);
    }
  }

  /** Checks the answer of a resolver of the application, which may be anything. */
  private static List<InetAddress> checked(@Nullable List<InetAddress> answer, String node)
      throws Unknown {
    List<@Nullable InetAddress> found = answer == null ? List.of() : new ArrayList<>(answer);
    List<InetAddress> present = found.stream().filter(Objects::nonNull).toList();
    if (present.isEmpty() || present.size() < found.size()) {
      throw new Unknown(
          ("the resolver answered %s for node \"%s\": it must give an address, or throw"
                  + " UnknownHostException")
              .formatted(answer, node));
    }
    return present;
  }
}
