// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.FabricAddress;

/**
 * An endpoint as its provider implements it, from being opened until it is closed: where peers
 * reach it, the directions in which it moves data, and the end of it. The kit has the endpoint that
 * the application calls, and all that is the same for every provider.
 *
 * <p>Calls may come from any thread.
 */
public interface Transport {
  /**
   * Returns the address at which peers reach the endpoint.
   *
   * @return the address, as fi_getname of fi_cm(3) returns it
   */
  FabricAddress name();

  /**
   * Returns the direction that sends; null if {@link EndpointOpening#sends} is null.
   *
   * @return the transmitter, the same each time
   */
  @Nullable Transmitter transmitter();

  /**
   * Returns the direction that receives; null if {@link EndpointOpening#receives} is null, or the
   * endpoint shares its receives.
   *
   * @return the receiver, the same each time
   */
  @Nullable Receiver receiver();

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
   * @param handles of the peers
   */
  default void warmUp(long[] handles) {}

  /**
   * Ends all traffic: no memory of the application is touched after this returns, and the address
   * is free. Operations that are under way end without a report.
   */
  void close();
}
