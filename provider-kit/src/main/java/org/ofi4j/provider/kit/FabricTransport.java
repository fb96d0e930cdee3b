// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.unsupported;

import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;

/**
 * A fabric as its provider implements it. The kit has the fabric that the application calls, with
 * its event queues.
 */
public interface FabricTransport {
  /**
   * Opens a domain.
   *
   * @param fabric the fabric that the application calls
   * @param info of this fabric
   * @return the domain
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  DomainTransport openDomain(Fabric fabric, FabricInfo info);

  /**
   * Opens a passive endpoint.
   *
   * @param fabric the fabric that the application calls
   * @param endpoint the endpoint of the application, which events name
   * @param info of this fabric, with the address of the options if they have one
   * @param events takes the connection requests
   * @param options the options of the endpoint
   * @return the transport, which listens
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  default PassiveTransport listen(
      Fabric fabric,
      PassiveEndpoint endpoint,
      FabricInfo info,
      Events events,
      PassiveOptions options) {
    throw unsupported(fabric + " has no endpoints that connect: ask for provider tcp");
  }

  /** Closes the fabric; nothing is open on it. */
  default void close() {}
}
