// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.transfer.TransmitContext;

/** A transmit context of a scalable endpoint. */
final class RdmTransmitContext extends RdmContext {
  private @Nullable TransmitContext sends;

  RdmTransmitContext(RdmScalableEndpoint whole, FabricInfo info, int index) {
    super(whole, info, "transmit context " + index);
  }

  @Override
  void attach(RdmTraffic shared, @Nullable Binding transmit, @Nullable Binding receive) {
    if (transmit != null) {
      TransmitContext opened = new TransmitContext(transmit, info().transmit().size());
      shared.open(opened);
      sends = opened;
      goThrough(opened, null);
    }
  }

  @Override
  void detach(RdmTraffic shared) {
    TransmitContext opened = sends;
    if (opened != null) {
      shared.close(opened);
    }
  }

  @Override
  protected String wayTo(Capability missing) {
    return missing == Capability.RECEIVE
        ? "open a receive context of " + whole()
        : super.wayTo(missing);
  }
}
