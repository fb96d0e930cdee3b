// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.DatagramEndpoint;

/** Stands in for an endpoint with datagrams. */
public class ForwardingDatagramEndpoint extends ForwardingEndpoint<DatagramEndpoint>
    implements DatagramEndpoint, ForwardingSender, ForwardingReceiver {
  /** Makes a stand-in. */
  public ForwardingDatagramEndpoint(DatagramEndpoint real, StandIns standIns) {
    super(real, standIns);
  }
}
