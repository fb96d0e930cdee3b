// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.Binding;

/** A receive context of a scalable endpoint. */
final class RdmReceiveContext extends RdmContext {
  private final int index;

  RdmReceiveContext(RdmScalableEndpoint whole, FabricInfo info, int index) {
    super(whole, info, "receive context " + index);
    this.index = index;
  }

  @Override
  void attach(RdmTraffic shared, @Nullable Binding transmit, @Nullable Binding receive) {
    if (receive != null) {
      goThrough(null, shared.open(index, receive, info()));
    }
  }

  @Override
  void detach(RdmTraffic shared) {
    shared.close(index);
  }

  @Override
  protected String wayTo(Capability missing) {
    return "open a transmit context of " + whole();
  }
}
