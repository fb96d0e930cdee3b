// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricInfo;

/** {@code FI_EP_DGRAM}: messages without tags and connections. */
final class KitDatagramEndpoint extends KitEndpoint
    implements DatagramEndpoint, Sending, Receiving {
  KitDatagramEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  void check(EndpointOptions options) {
    if (!options.connections().equals(ConnectionOptions.defaults())) {
      throw unsupported("datagrams need no connection: ask for an endpoint of type RDM");
    }
    if (options.minMultiReceive() > 0) {
      throw unsupported("a buffer takes one datagram: ask for an endpoint of type RDM");
    }
    if (options.sharedReceives() != null) {
      throw unsupported(this + " cannot share its receives: ask for an endpoint of type RDM");
    }
  }
}
