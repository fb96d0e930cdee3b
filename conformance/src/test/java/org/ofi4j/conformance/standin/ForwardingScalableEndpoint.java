// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.time.Duration;
import org.ofi4j.AddressVector;
import org.ofi4j.ContextAttributes;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Endpoint;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.TransmitContext;
import org.ofi4j.TransportSecurity;

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
  public void bind(AddressVector vector, long flags) {
    real().bind(StandIns.real(vector), flags);
  }

  @Override
  public Endpoint openTransmitContext(int index, ContextAttributes attributes) {
    Endpoint context = real().openTransmitContext(index, attributes);
    return standIns().add(context, wrapping.endpoint(context, standIns()));
  }

  @Override
  public Endpoint openReceiveContext(int index, ContextAttributes attributes) {
    Endpoint context = real().openReceiveContext(index, attributes);
    return standIns().add(context, wrapping.endpoint(context, standIns()));
  }

  @Override
  public void enable() {
    real().enable();
  }

  @Override
  public FabricAddress name() {
    return real().name();
  }

  @Override
  public void connectTimeout(Duration timeout) {
    real().connectTimeout(timeout);
  }

  @Override
  public void earlyMessages(EarlyMessages bounds) {
    real().earlyMessages(bounds);
  }

  @Override
  public void peerTimeout(Duration timeout) {
    real().peerTimeout(timeout);
  }

  @Override
  public void idleTimeout(Duration timeout) {
    real().idleTimeout(timeout);
  }

  @Override
  public void secure(TransportSecurity security) {
    real().secure(security);
  }

  @Override
  public void warmUp(long... handles) {
    real().warmUp(handles);
  }

  @Override
  public TransmitContext openTransmitContext(int index, ContextOptions options) {
    Endpoint context = (Endpoint) real().openTransmitContext(index, StandIns.real(options));
    return standIns().add(context, wrapping.endpoint(context, standIns()));
  }

  @Override
  public ReceiveContext openReceiveContext(int index, ContextOptions options) {
    Endpoint context = (Endpoint) real().openReceiveContext(index, StandIns.real(options));
    return standIns().add(context, wrapping.endpoint(context, standIns()));
  }
}
