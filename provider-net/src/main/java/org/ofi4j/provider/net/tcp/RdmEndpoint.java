// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.EndpointDomain;

/** {@code FI_EP_RDM} over TCP: messages arrive once, whole, and in the order of sending. */
public final class RdmEndpoint extends TcpEndpoint<RdmTraffic> {
  // Where lost peers are reported; guarded by the monitor of this object, which enabling takes.
  private @Nullable CoreEventQueue events;

  public RdmEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  public synchronized void bind(EventQueue queue) {
    events = eventQueue(queue, events);
  }

  @Override
  public void warmUp(long... handles) {
    ready("cannot connect yet").warmUp(required(handles, "handles"));
  }

  @Override
  protected RdmTraffic open(@Nullable Binding transmit, @Nullable Binding receive) {
    CoreAddressVector vector = vector();
    SharedReceives sharing = shared();
    Opening opening = opening(events, transmit, receive, sharing);
    RdmTraffic opened =
        SharedReceives.opened(
            sharing,
            vector,
            () -> RdmTraffic.open(opening, vector, opening.receives(vector.peers())));
    goThrough(opened.transmit(), opened.receive());
    return opened;
  }
}
