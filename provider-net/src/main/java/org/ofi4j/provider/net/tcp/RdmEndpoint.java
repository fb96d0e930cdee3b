// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.EndpointDomain;

/** {@code FI_EP_RDM} over TCP: messages arrive once, whole, and in the order of sending. */
public final class RdmEndpoint extends WholeEndpoint<RdmTraffic> implements ReliableEndpoint {
  public RdmEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  protected RdmTraffic open(@Nullable Binding out, @Nullable Binding in) {
    CoreAddressVector vector = vector();
    SharedReceives sharing = shared();
    Opening opening = opening(out, in, sharing);
    RdmTraffic opened =
        SharedReceives.opened(
            sharing,
            vector,
            () -> RdmTraffic.open(opening, vector, opening.receives(vector.peers())));
    goThrough(opened.transmit(), opened.receive());
    return opened;
  }

  @Override
  public void warmUp(long... handles) {
    ready().warmUp(required(handles, "handles"));
  }
}
