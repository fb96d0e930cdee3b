// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.ofi4j.Fabric;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.provider.net.progress.ProgressThread;

/** What passive endpoints need of the fabric that they are on. */
public interface EndpointFabric extends Fabric {
  /** Held by the fabric's passive endpoints. */
  Lifetime lifetime();

  /**
   * The thread that takes connections where progress is automatic; started when first asked for.
   */
  ProgressThread progressThread();

  Staging.Pool staging();
}
