// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.SharedReceiveContext;

/** Makes the stand-ins. As it is they are healthy; a fault overrides one of these methods. */
public class Wrapping {
  public Domain domain(Domain real, StandIns standIns, Fabric fabric) {
    return new ForwardingDomain(real, standIns, this, fabric);
  }

  public AddressVector vector(AddressVector real, StandIns standIns) {
    return new ForwardingAddressVector(real, standIns);
  }

  public EventQueue eventQueue(EventQueue real, StandIns standIns) {
    return new ForwardingEventQueue(real, standIns);
  }

  public CompletionQueue completionQueue(CompletionQueue real, StandIns standIns) {
    return new ForwardingCompletionQueue(real, standIns);
  }

  public ScalableEndpoint scalableEndpoint(ScalableEndpoint real, StandIns standIns) {
    return new ForwardingScalableEndpoint(real, standIns, this);
  }

  public SharedReceiveContext sharedReceiveContext(SharedReceiveContext real, StandIns standIns) {
    return new ForwardingSharedReceiveContext(real, standIns);
  }

  public Endpoint endpoint(Endpoint real, StandIns standIns) {
    return new ForwardingEndpoint(real, standIns);
  }
}
