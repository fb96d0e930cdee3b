// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.FabricAddress;

/** Stands in for an endpoint with one peer. */
public class ForwardingConnectedEndpoint extends ForwardingEndpoint<ConnectedEndpoint>
    implements ConnectedEndpoint,
        ForwardingSender,
        ForwardingReceiver,
        ForwardingTaggedSender,
        ForwardingTaggedReceiver,
        ForwardingRemoteMemory {
  /** Makes a stand-in. */
  public ForwardingConnectedEndpoint(ConnectedEndpoint real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    real().connect(address, data);
  }

  @Override
  public void accept(byte[] data) {
    real().accept(data);
  }

  @Override
  public void shutdown() {
    real().shutdown();
  }

  @Override
  public FabricAddress peer() {
    return real().peer();
  }

  @Override
  public int connectionDataSize() {
    return real().connectionDataSize();
  }
}
