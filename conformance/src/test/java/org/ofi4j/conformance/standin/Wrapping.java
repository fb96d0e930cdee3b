// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TransmitContext;

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

  public TransmitContext transmitContext(TransmitContext real, StandIns standIns) {
    return new ForwardingTransmitContext(real, standIns);
  }

  public ReceiveContext receiveContext(ReceiveContext real, StandIns standIns) {
    return new ForwardingReceiveContext(real, standIns);
  }

  public final MessageEndpoint endpoint(MessageEndpoint real, StandIns standIns) {
    return switch (real.info().endpoint().type()) {
      case DGRAM -> datagramEndpoint((DatagramEndpoint) real, standIns);
      case RDM -> reliableEndpoint((ReliableEndpoint) real, standIns);
      case MSG -> connectedEndpoint((ConnectedEndpoint) real, standIns);
      case UNSPECIFIED -> throw new IllegalStateException(real + " is of no type");
    };
  }

  public DatagramEndpoint datagramEndpoint(DatagramEndpoint real, StandIns standIns) {
    return new ForwardingDatagramEndpoint(real, standIns);
  }

  public ReliableEndpoint reliableEndpoint(ReliableEndpoint real, StandIns standIns) {
    return new ForwardingReliableEndpoint(real, standIns);
  }

  public ConnectedEndpoint connectedEndpoint(ConnectedEndpoint real, StandIns standIns) {
    return new ForwardingConnectedEndpoint(real, standIns);
  }
}
