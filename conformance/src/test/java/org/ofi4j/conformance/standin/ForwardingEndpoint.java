// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.standin;

import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;

/** What stand-ins of all endpoints and contexts have in common. */
abstract class ForwardingEndpoint<T extends Endpoint> extends ForwardingObject<T>
    implements Endpoint {
  ForwardingEndpoint(T real, StandIns standIns) {
    super(real, standIns);
  }

  @Override
  public final Domain domain() {
    return (Domain) standIns().of(real().domain());
  }

  @Override
  public final FabricInfo info() {
    return real().info();
  }

  @Override
  public final FabricAddress address() {
    return real().address();
  }

  @Override
  public final EndpointStatistics statistics() {
    return real().statistics();
  }
}
