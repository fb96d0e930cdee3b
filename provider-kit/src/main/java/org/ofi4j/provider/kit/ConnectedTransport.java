// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.FabricAddress;

/**
 * An endpoint with one peer, {@code FI_EP_MSG}, as its provider implements it. The kit has checked
 * the arguments; errors are those of {@link ConnectedEndpoint}.
 */
public interface ConnectedTransport extends Transport {
  /**
   * {@code fi_connect}; the data is the transport's to keep.
   *
   * @param address the address of a passive endpoint
   * @param data the data of the connection request
   */
  void connect(FabricAddress address, byte[] data);

  /**
   * {@code fi_accept} of the request that the endpoint was opened for.
   *
   * @param data the data of the answer; the transport may keep it
   */
  void accept(byte[] data);

  /** {@code fi_shutdown}. */
  void shutdown();

  /**
   * {@code fi_getpeer}.
   *
   * @return the address of the peer
   */
  FabricAddress peer();

  /**
   * Returns how many bytes of data a connection request and its answer carry.
   *
   * @return the number of bytes, 0 or more
   */
  int connectionDataSize();
}
