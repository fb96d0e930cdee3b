// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import java.time.Duration;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.TransportSecurity;

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
  public void bind(EventQueue queue) {
    real().bind(StandIns.real(queue));
  }

  @Override
  public void backlog(int requests) {
    real().backlog(requests);
  }

  @Override
  public void answerTimeout(Duration timeout) {
    real().answerTimeout(timeout);
  }

  @Override
  public void secure(TransportSecurity security) {
    real().secure(security);
  }

  @Override
  public void listen() {
    real().listen();
  }

  @Override
  public FabricAddress name() {
    return real().name();
  }

  @Override
  public void name(FabricAddress address) {
    real().name(address);
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
