// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.core.object.Lifetime;
import org.ofi4j.provider.net.endpoint.EndpointDomain;

/** What contexts are of: a scalable endpoint. */
interface ContextOwner {
  EndpointDomain domain();

  /** From opening to closing, which contexts hold. */
  Lifetime lifetime();

  /** What all contexts share; throws if the endpoint is closed. */
  RdmTraffic traffic();

  /** A context is closed, and its index can be used again. */
  void closed(Object context);
}
