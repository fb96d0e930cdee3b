// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.required;

import org.jspecify.annotations.Nullable;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReliableEndpoint;

/** {@code FI_EP_RDM} over libfabric. */
public final class NativeReliableEndpoint extends NativeWholeEndpoint implements ReliableEndpoint {
  public NativeReliableEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  /** Peers that are lost are not reported: libfabric does not say which they are. */
  @Override
  protected void bind(EventQueue queue) {
    checkBindable(queue.fabric(), domain().fabric(), queue);
  }

  @Override
  public void warmUp(long... handles) {
    NativeTraffic present = ready();
    present.lock();
    try {
      present.peers.warmUp(required(handles, "handles"));
    } finally {
      present.unlock();
    }
  }
}
