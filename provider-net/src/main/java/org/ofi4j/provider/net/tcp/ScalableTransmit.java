// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.TransmitContext;
import org.ofi4j.provider.kit.Binding;

/** A context of a scalable endpoint that sends. */
final class ScalableTransmit extends ScalableContext implements TransmitContext, TransmitHalf {
  ScalableTransmit(ContextOwner whole, FabricInfo half, int index, @Nullable Object context) {
    super(whole, half, index, context);
  }

  @Override
  void join(RdmTraffic shared, @Nullable Binding out, @Nullable Binding in) {
    var opened =
        new org.ofi4j.provider.net.transfer.TransmitContext(
            Objects.requireNonNull(out), info().transmit().size());
    shared.open(opened);
    goThrough(opened, null);
  }

  @Override
  void part(RdmTraffic shared) {
    shared.close(Objects.requireNonNull(transmit()));
  }

  @Override
  public String toString() {
    return "transmit context " + index + " of " + whole;
  }
}
