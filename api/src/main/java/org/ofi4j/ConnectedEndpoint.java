// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code FI_EP_MSG}, fi_cm(3): an endpoint with one peer, with which the application connects it.
 *
 * <p>{@link #connect connect} it, or {@link #accept accept} the request that it was opened for; it
 * can send once {@link Event.Connected} was reported, and takes receives before that. It takes no
 * notice of handles: any number will do (AV-214). When the connection ends, for whatever reason,
 * what is posted fails and {@link Event.Shutdown} is reported, once; the endpoint is of no use any
 * more then.
 *
 * {@snippet class="examples.Connections" region="connect"}
 */
public interface ConnectedEndpoint
    extends MessageEndpoint, TaggedSender, TaggedReceiver, RemoteMemory {
  /**
   * {@code fi_connect} without data.
   *
   * @param address where a passive endpoint listens
   */
  default void connect(FabricAddress address) {
    connect(address, new byte[0]);
  }

  /**
   * {@code fi_connect}: asks for a connection, once in the endpoint's life. Returns at once.
   * Reported are either {@link Event.Connected}, or an {@link Event.Failure} with {@link
   * Errno#ECONNREFUSED} if nobody listens there or the other side rejects, {@link Errno#ETIMEDOUT}
   * if it does not answer within {@link ConnectionOptions#connectTimeout}, or what else the network
   * says; receives that are posted then fail with {@link Errno#ECANCELED}.
   *
   * @param address where a passive endpoint listens
   * @param data for its {@link Event.ConnectionRequest}, at most {@link #connectionDataSize} bytes
   * @throws FabricException with {@link Errno#EINVAL} for an address of another family or too much
   *     data, {@link Errno#EISCONN} if it was called before, or the endpoint was opened for a
   *     request
   */
  void connect(FabricAddress address, byte[] data);

  /** {@code fi_accept} without data. */
  default void accept() {
    accept(new byte[0]);
  }

  /**
   * {@code fi_accept}: accepts the request that the endpoint was opened for. {@link
   * Event.Connected} is reported.
   *
   * @param data for the {@link Event.Connected} of the peer, at most {@link #connectionDataSize}
   *     bytes
   * @throws FabricException with {@link Errno#EINVAL} for too much data or if the endpoint was not
   *     opened for a request, {@link Errno#EISCONN} if it was accepted before, {@link
   *     Errno#ECONNABORTED} if the peer has gone
   */
  void accept(byte[] data);

  /**
   * {@code fi_shutdown}: ends the connection. What the kernel has taken still goes out; what is
   * posted completes with {@link Errno#ECANCELED} before the call returns, and {@link
   * Event.Shutdown} is reported on both sides. Doing it again does nothing.
   *
   * @throws FabricException with {@link Errno#ENOTCONN} if there never was a connection
   */
  void shutdown();

  /**
   * {@code fi_getpeer}: the address that the other side of the connection has.
   *
   * @return the address in the format of the domain: the one that was connected to, or that the
   *     request came from
   * @throws FabricException with {@link Errno#ENOTCONN} if there is no connection
   */
  FabricAddress peer();

  /**
   * {@code fi_getopt} with {@code FI_OPT_CM_DATA_SIZE}: how much data goes with a connection
   * request, and with what answers it. More is refused, not cut off.
   *
   * @return bytes
   */
  int connectionDataSize();
}
