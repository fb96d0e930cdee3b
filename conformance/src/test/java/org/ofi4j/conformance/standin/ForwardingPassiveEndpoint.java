// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.ConnectionHandle;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;

/** Stands in for a passive endpoint. */
public class ForwardingPassiveEndpoint extends ForwardingObject<PassiveEndpoint>
    implements PassiveEndpoint {
  /** Makes a stand-in. */
  public ForwardingPassiveEndpoint(PassiveEndpoint real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public Fabric fabric() {
    return (Fabric) standIns().of(real().fabric());
  }

  @Override
  public FabricInfo info() {
    return real().info();
  }

  @Override
  public FabricAddress address() {
    return real().address();
  }

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    real().reject(request, data);
  }

  @Override
  public int connectionDataSize() {
    return real().connectionDataSize();
  }
}
