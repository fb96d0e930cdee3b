// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.ConnectionHandle;
import org.ofi4j.FabricAddress;

/** A passive endpoint ({@code fi_passive_ep}) as its provider implements it. */
public interface PassiveTransport {
  /**
   * Returns the address at which it listens.
   *
   * @return the address
   */
  FabricAddress name();

  /**
   * Refuses a connection request ({@code fi_reject}).
   *
   * @param request the request
   * @param data the transport's to keep
   * @throws org.ofi4j.FabricException if the request is none of this endpoint
   */
  void reject(ConnectionHandle request, byte[] data);

  /**
   * Returns how many bytes of data a connection request and its answer carry.
   *
   * @return the number of bytes, 0 or more
   */
  int connectionDataSize();

  /** Stops listening, and refuses the requests that are not answered. */
  void close();
}
