// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.address.ServicePort;

/**
 * Consecutive services on consecutive nodes, all services of one node before the next node
 * (AV-117). What lies beyond the last port or the last address fails by itself (AV-123). One
 * service on one node is the smallest range.
 *
 * @param nodeCount how many nodes
 * @param service the first service as the caller wrote it
 * @param first its port, resolved once (D-23)
 * @param services how many services on each node
 */
public record SymmetricAddresses(
    AddressCodec codec,
    NodeRange nodes,
    int nodeCount,
    String service,
    ServicePort first,
    int services)
    implements AddressSource {
  /** Refuses more addresses than positions. */
  public SymmetricAddresses {
    Math.multiplyExact(nodeCount, services);
  }

  @Override
  public int count() {
    return nodeCount * services;
  }

  @Override
  public void prepare() throws InterruptedException {
    // A service that does not exist spares the names.
    if (first.isKnown() && count() > 0) {
      nodes.prepare();
    }
  }

  @Override
  public int read(int position, AddressKey into) {
    Failure failure = failure(position);
    return failure == null ? codec.read(address(position), into) : failure.errno().number();
  }

  /** {@inheritDoc} There are none unless each port and each address exists. */
  @Override
  public @Nullable List<AddressRange> ranges() {
    if (!(nodes instanceof NodeRange.Numeric numeric)
        || !first.isKnown()
        || codec.format() == AddressFormat.STR
        || count() == 0
        || first.port() == 0
        || port(services - 1) > ServicePort.MAX) {
      return null;
    }
    FabricAddress node = Objects.requireNonNull(numeric.at(0, first.port()));
    return codec.read(node, new AddressKey()) == 0
        ? numeric.ranges(nodeCount, first.port(), services)
        : null;
  }

  /** Returns the address at a position that has no {@link #failure}. */
  private FabricAddress address(int position) {
    FabricAddress address =
        Objects.requireNonNull(nodes.at(position / services, (int) port(position)));
    return codec.format() == AddressFormat.STR ? new TextAddress(address.toText()) : address;
  }

  private long port(int position) {
    return (long) first.port() + position % services;
  }

  /** Returns why there is no address at a position; null if there is one. */
  private @Nullable Failure failure(int position) {
    if (!first.isKnown()) {
      return new Failure(first.errno(), first.reason());
    }
    long port = port(position);
    if (port > ServicePort.MAX) {
      return new Failure(
          Errno.EADDRNOTAVAIL,
          "port " + port + " does not exist: the last one is " + ServicePort.MAX);
    }
    FabricAddress found = nodes.at(position / services, (int) port);
    if (found == null) {
      return nodes.failure(position / services);
    }
    // Without its scope the text would name another peer (D-34).
    boolean isText = codec.format() == AddressFormat.STR;
    return isText && found instanceof SocketAddress6 ipv6 && ipv6.scopeId() != 0
        ? new Failure(
            Errno.EINVAL,
            "is on the link with scope id "
                + ipv6.scopeId()
                + ", for which a text address has no room: use format FI_SOCKADDR_IN6")
        : null;
  }

  @Override
  public String text(int position) {
    String port = first.isKnown() ? Long.toString(port(position)) : service;
    return nodes.text(position / services) + ":" + port;
  }

  @Override
  public String reason(int position) {
    Failure failure = failure(position);
    return failure == null ? codec.reason(address(position)) : failure.reason();
  }
}
