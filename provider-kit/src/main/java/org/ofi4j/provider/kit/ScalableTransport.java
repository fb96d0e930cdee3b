// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.ConnectionStatistics;
import org.ofi4j.FabricAddress;

/**
 * A scalable endpoint ({@code fi_scalable_ep}) as its provider implements it: one address, and
 * contexts that are opened and closed by themselves.
 */
public interface ScalableTransport {
  /**
   * Returns the address at which peers reach the endpoint.
   *
   * @return the address
   */
  FabricAddress name();

  /**
   * Opens a context, which is a transport with one direction.
   *
   * @param index its number among the contexts of its direction, from 0
   * @param opening says the direction: either sends or receives are null
   * @return the transport of the context
   * @throws org.ofi4j.FabricException if it cannot be opened
   */
  Transport openContext(int index, EndpointOpening opening);

  /** Moves data from now on: called once, when the endpoint is open. */
  void begin();

  /**
   * Returns what became of the connections, if there are some.
   *
   * @return the statistics
   */
  default ConnectionStatistics connectionStatistics() {
    return ConnectionStatistics.none();
  }

  /**
   * Prepares for messages to peers, as by connecting to them.
   *
   * @param handles the handles of the peers
   */
  default void warmUp(long[] handles) {}

  /** Ends all traffic; all contexts are closed. */
  void close();
}
