// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.provider.kit.Binding;

/** A context of a scalable endpoint that receives. */
final class ScalableReceive extends ScalableContext implements ReceiveContext, ReceiveHalf {
  ScalableReceive(ContextOwner whole, FabricInfo half, int index, @Nullable Object context) {
    super(whole, half, index, context);
  }

  @Override
  void join(RdmTraffic shared, @Nullable Binding out, @Nullable Binding in) {
    goThrough(null, shared.open(index, Objects.requireNonNull(in), info()));
  }

  @Override
  void part(RdmTraffic shared) {
    shared.close(index);
  }

  @Override
  public String toString() {
    return "receive context " + index + " of " + whole;
  }
}
