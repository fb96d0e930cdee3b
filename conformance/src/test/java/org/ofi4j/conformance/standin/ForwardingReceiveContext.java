// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.ReceiveContext;

/** Stands in for a context that receives. */
public class ForwardingReceiveContext extends ForwardingEndpoint<ReceiveContext>
    implements ReceiveContext, ForwardingReceiver, ForwardingTaggedReceiver {
  /** Makes a stand-in. */
  public ForwardingReceiveContext(ReceiveContext real, StandIns standIns) {
    super(real, standIns);
  }
}
