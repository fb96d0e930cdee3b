// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.ServicePort;

/**
 * Addresses that are given as node and service. What is wrong with the call as a whole is an
 * exception; a name that leads nowhere is an address that fails (D-23).
 */
public record NodeAddresses(
    AddressCodec codec, VectorOptions options, boolean textAddresses, EndpointType endpoint) {
  /** One service on one node, or a whole address as text (AV-108 to AV-113). */
  public AddressSource service(@Nullable String node, @Nullable String service) {
    String named = required(node, "node");
    if (textAddresses && named.contains("://")) {
      if (service != null) {
        throw invalid(
            ("service \"%s\" is one too many: node \"%s\" is a whole address, so service must"
                    + " be null")
                .formatted(service, named));
      }
      return whole(named);
    }
    return symmetric(named, 1, required(service, "service"), 1);
  }

  private AddressSource whole(String text) {
    if (codec.format() == AddressFormat.STR) {
      return new GivenAddresses(codec, List.of(new TextAddress(text)));
    }
    try {
      return new GivenAddresses(codec, List.of(FabricAddress.parse(text)));
    } catch (FabricException unreadable) {
      return new RefusedAddress(text, Failure.of(unreadable));
    }
  }

  /** Consecutive services on consecutive nodes (AV-115 to AV-123). */
  public AddressSource symmetric(
      @Nullable String node, int nodeCount, @Nullable String service, int serviceCount) {
    String firstNode = required(node, "node");
    String firstService = required(service, "service");
    SegmentChecks.count(nodeCount, "nodeCount");
    SegmentChecks.count(serviceCount, "serviceCount");
    if ((long) nodeCount * serviceCount > Integer.MAX_VALUE) {
      throw invalid(
          "%s nodes with %s services each are more than %s addresses: insert them in parts"
              .formatted(nodeCount, serviceCount, Integer.MAX_VALUE));
    }
    if (firstNode.isEmpty() && nodeCount > 1) {
      throw invalid(
          "node is empty, so %s nodes cannot be counted from it: name the first one"
              .formatted(nodeCount));
    }
    AddressFormat format = codec.format();
    if (!format.contains(AddressFormat.SOCKADDR_IN)
        && !format.contains(AddressFormat.SOCKADDR_IN6)
        && format != AddressFormat.STR) {
      throw unsupported(
          "nodes and services name IP addresses, which a vector of format %s does not hold"
              .formatted(format));
    }
    NodeRange nodes = NodeRange.numeric(firstNode);
    if (nodes == null) {
      nodes =
          new HostRange(
              firstNode,
              nodeCount,
              new NameResolution(options.resolver(), format, options.resolutionTimeout()));
    }
    return new SymmetricAddresses(
        codec,
        nodes,
        nodeCount,
        firstService,
        ServicePort.of(firstService, endpoint == EndpointType.DGRAM),
        serviceCount);
  }
}
