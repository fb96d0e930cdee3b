// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.NodeService;
import org.ofi4j.PeerLine;
import org.ofi4j.cli.output.InstalledProviders;

/**
 * The answer to the question which handle an address has.
 *
 * @param handle its handle, or {@link Handles#NOT_AVAILABLE}
 * @param reason why it was not found, else null
 */
public record AddressSearch(String input, long handle, @Nullable String reason) {
  /**
   * Searches a vector.
   *
   * @param input an address, or a node and a service, numeric or by name
   * @param defaultService the port if the input has none, or null
   */
  public static AddressSearch of(
      AddressVector vector,
      String input,
      @Nullable String defaultService,
      AddressResolver resolver) {
    try {
      for (FabricAddress address : addresses(input, defaultService, resolver)) {
        if (vector.format() != AddressFormat.STR && !vector.format().contains(address.format())) {
          continue;
        }
        long handle = vector.find(address);
        if (handle != Handles.NOT_AVAILABLE) {
          return new AddressSearch(input, handle, null);
        }
      }
      return new AddressSearch(input, Handles.NOT_AVAILABLE, "is not in the vector");
    } catch (IllegalArgumentException | UnknownHostException wrong) {
      return new AddressSearch(input, Handles.NOT_AVAILABLE, String.valueOf(wrong.getMessage()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return new AddressSearch(input, Handles.NOT_AVAILABLE, "interrupted");
    }
  }

  private static List<FabricAddress> addresses(
      String input, @Nullable String defaultService, AddressResolver resolver)
      throws UnknownHostException, InterruptedException {
    return switch (PeerLine.parse(input, defaultService)) {
      case PeerLine.Single(long _, String _, FabricAddress address) -> List.of(address);
      case PeerLine.Malformed malformed -> throw new IllegalArgumentException(malformed.reason());
      case PeerLine.Named(long _, String _, String node, String service) -> {
        int port = port(service);
        List<FabricAddress> found = new ArrayList<>();
        for (InetAddress address : hosts(node, resolver)) {
          found.add(FabricAddress.of(new InetSocketAddress(address, port)));
        }
        yield found;
      }
      case null, default ->
          throw new IllegalArgumentException("is not one peer: ranges cannot be found");
    };
  }

  private static List<InetAddress> hosts(String node, AddressResolver resolver)
      throws UnknownHostException, InterruptedException {
    NumericHost numeric = NumericHost.parse(node);
    return numeric == null ? resolver.resolve(node) : List.of(numeric.required());
  }

  /** Asks the providers, who know services by name when they insert them, too. */
  private static int port(String service) throws UnknownHostException {
    if (service.matches("[0-9]{1,5}")) {
      return Integer.parseInt(service);
    }
    for (String local : List.of("127.0.0.1", "::1")) {
      for (FabricInfo info :
          InstalledProviders.info(Hints.latest().withDestination(new NodeService(local, service)))
              .offers()) {
        switch (info.destination()) {
          case FabricAddress.SocketAddress4 address -> {
            return address.port();
          }
          case FabricAddress.SocketAddress6 address -> {
            return address.port();
          }
          case null, default -> {
            // Another kind of address; the next offer may have a port.
          }
        }
      }
    }
    throw new UnknownHostException("service \"" + service + "\" is not known");
  }

  public boolean isFound() {
    return handle != Handles.NOT_AVAILABLE;
  }
}
