// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.SharedReceiveContext;

/** Stands in for a shared receive context. */
public class ForwardingSharedReceiveContext extends ForwardingObject<SharedReceiveContext>
    implements SharedReceiveContext, ForwardingReceiver, ForwardingTaggedReceiver {
  /** Makes a stand-in. */
  public ForwardingSharedReceiveContext(SharedReceiveContext real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Domain domain() {
    return (Domain) standIns().of(real().domain());
  }

  @Override
  public FabricInfo info() {
    return real().info();
  }
}
