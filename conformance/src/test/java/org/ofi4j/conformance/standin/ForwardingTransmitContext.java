// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.TransmitContext;

/** Stands in for a context that sends. */
public class ForwardingTransmitContext extends ForwardingEndpoint<TransmitContext>
    implements TransmitContext, ForwardingSender, ForwardingTaggedSender, ForwardingRemoteMemory {
  /** Makes a stand-in. */
  public ForwardingTransmitContext(TransmitContext real, StandIns standIns) {
    super(real, standIns);
  }
}
