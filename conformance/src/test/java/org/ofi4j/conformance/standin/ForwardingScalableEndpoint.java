// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.ConnectionStatistics;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.TransmitContext;

/** Stands in for a scalable endpoint. */
public class ForwardingScalableEndpoint extends ForwardingObject<ScalableEndpoint>
    implements ScalableEndpoint {
  private final Wrapping wrapping;

  /** Makes a stand-in. */
  public ForwardingScalableEndpoint(ScalableEndpoint real, StandIns standIns, Wrapping wrapping) {
    super(real, standIns);
    this.wrapping = wrapping;
  }

  @Override
  public Domain domain() {
    return (Domain) standIns().of(real().domain());
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
  public ConnectionStatistics statistics() {
    return real().statistics();
  }

  @Override
  public void warmUp(long... handles) {
    real().warmUp(handles);
  }

  @Override
  public TransmitContext openTransmitContext(int index, ContextOptions options) {
    TransmitContext context = real().openTransmitContext(index, StandIns.real(options));
    return standIns().add(context, wrapping.transmitContext(context, standIns()));
  }

  @Override
  public ReceiveContext openReceiveContext(int index, ContextOptions options) {
    ReceiveContext context = real().openReceiveContext(index, StandIns.real(options));
    return standIns().add(context, wrapping.receiveContext(context, standIns()));
  }
}
