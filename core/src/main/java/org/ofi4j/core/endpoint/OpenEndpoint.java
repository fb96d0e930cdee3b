// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import org.ofi4j.FabricAddress;

/** What an endpoint is from being opened until it is closed. */
public interface OpenEndpoint {
  /** Where peers reach it. */
  FabricAddress name();

  /** Ends its traffic and gives back all that it took. */
  void close();
}
