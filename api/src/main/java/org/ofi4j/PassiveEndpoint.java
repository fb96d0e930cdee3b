// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code struct fid_pep}, fi_endpoint(3) and fi_cm(3): waits for peers that want to connect, for
 * endpoints of type {@link EndpointType#MSG}.
 *
 * <p>It listens from being opened on. Each peer that asks for a connection is reported to its event
 * queue with an {@link Event.ConnectionRequest}; open an endpoint with the information of that and
 * {@linkplain ConnectedEndpoint#accept() accept} it, or {@link #reject}. With manual progress,
 * reading the event queue is what takes connections; with automatic progress a thread of the fabric
 * does.
 *
 * <p>Closing it closes requests that are not answered; their peers see {@link Errno#ECONNREFUSED}.
 * Accepted connections stay.
 *
 * <p>Safe to call from any thread.
 *
 * {@snippet class="examples.Connections" region="accept"}
 */
public interface PassiveEndpoint extends FabricObject {
  /** {@return the fabric that the endpoint belongs to} */
  Fabric fabric();

  /** {@return what the endpoint was opened with} */
  FabricInfo info();

  /**
   * {@code fi_reject} without data.
   *
   * @param request the request
   */
  default void reject(ConnectionHandle request) {
    reject(request, new byte[0]);
  }

  /**
   * {@code fi_reject}: refuses a connection. Does nothing if the peer has gone meanwhile.
   *
   * @param request the handle from the information of the request
   * @param data what the peer finds in {@link Event.Failure#errorData}, at most {@link
   *     #connectionDataSize} bytes
   * @throws FabricException with {@link Errno#EINVAL} if there is too much data, or the request is
   *     not one of this endpoint, or was answered or taken by an endpoint
   */
  void reject(ConnectionHandle request, byte[] data);

  /**
   * {@code fi_getopt} with {@code FI_OPT_CM_DATA_SIZE}: how much data a request can carry.
   *
   * @return bytes
   */
  int connectionDataSize();

  /**
   * {@code fi_getname}: the address that peers connect to.
   *
   * @return the address in the format of the information
   */
  FabricAddress address();
}
