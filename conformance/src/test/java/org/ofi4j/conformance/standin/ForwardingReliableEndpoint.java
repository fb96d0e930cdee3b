// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.ReliableEndpoint;

/** Stands in for a reliable endpoint. */
public class ForwardingReliableEndpoint extends ForwardingEndpoint<ReliableEndpoint>
    implements ReliableEndpoint,
        ForwardingSender,
        ForwardingReceiver,
        ForwardingTaggedSender,
        ForwardingTaggedReceiver,
        ForwardingRemoteMemory {
  /** Makes a stand-in. */
  public ForwardingReliableEndpoint(ReliableEndpoint real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public void warmUp(long... handles) {
    real().warmUp(handles);
  }
}
