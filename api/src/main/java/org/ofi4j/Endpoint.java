// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fid_ep}, fi_endpoint(3): what all endpoints, and contexts of a {@link
 * ScalableEndpoint}, have in common. What one can do is said by its kind: {@link DatagramEndpoint},
 * {@link ReliableEndpoint}, {@link ConnectedEndpoint}, {@link TransmitContext}, {@link
 * ReceiveContext}.
 *
 * <p>An endpoint is ready when it has been opened: what it works with is said by its {@link
 * EndpointOptions}, which is {@code fi_ep_bind}, {@code fi_setopt} and {@code fi_enable} in one.
 * Any number of threads may use it. Memory that was posted belongs to it until the completion was
 * read; closing it drops what is still posted.
 */
public interface Endpoint extends FabricObject {
  /** {@return the domain that it belongs to} */
  Domain domain();

  /** {@return what it was opened with} */
  FabricInfo info();

  /**
   * {@code fi_getname}: the address that peers insert, or connect to, to reach it.
   *
   * @return the address in the format of the domain; of a context that of the whole endpoint
   */
  FabricAddress address();

  /**
   * What it has sent and received since it was opened, and what became of its connections. Waits
   * for nobody; while data is moved, the numbers may be of different moments.
   *
   * @return the numbers of now
   */
  EndpointStatistics statistics();
}
