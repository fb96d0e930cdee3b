// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.FabricAddress;

/** The transport of an endpoint from its opening until it is closed. */
public interface OpenEndpoint {
  /**
   * Returns the address at which peers reach the endpoint; any thread may call this.
   *
   * @return the address, as fi_getname of fi_cm(3) returns it
   */
  FabricAddress name();

  /** Ends all transfers and releases all resources; called once. */
  void close();
}
