// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.Domain;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;

/** Stands in for a fabric. */
public class ForwardingFabric extends ForwardingObject<Fabric> implements Fabric {
  private final Wrapping wrapping;

  /** Makes a stand-in. */
  public ForwardingFabric(Fabric real, StandIns standIns, Wrapping wrapping) {
    super(real, standIns);
    this.wrapping = wrapping;
  }

  @Override
  public FabricInfo info() {
    return real().info();
  }

  @Override
  public Domain openDomain(FabricInfo info, Object context) {
    Domain domain = real().openDomain(info, context);
    return standIns().add(domain, wrapping.domain(domain, standIns(), this));
  }

  @Override
  public EventQueue openEventQueue(EventQueueOptions options) {
    EventQueue queue = real().openEventQueue(options);
    return standIns().add(queue, wrapping.eventQueue(queue, standIns()));
  }

  @Override
  public PassiveEndpoint openPassiveEndpoint(FabricInfo info, PassiveOptions options) {
    PassiveEndpoint endpoint = real().openPassiveEndpoint(info, StandIns.real(options));
    return standIns().add(endpoint, new ForwardingPassiveEndpoint(endpoint, standIns()));
  }
}
