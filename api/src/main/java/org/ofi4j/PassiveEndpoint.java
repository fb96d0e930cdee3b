// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;

/**
 * {@code struct fid_pep}, fi_endpoint(3) and fi_cm(3): waits for peers that want to connect, for
 * endpoints of type {@link EndpointType#MSG}.
 *
 * <p>Bind an event queue and listen. Each peer that asks for a connection is reported there with an
 * {@link Event.ConnectionRequest}; open an endpoint with its information and {@linkplain
 * Endpoint#accept() accept} it, or {@link #reject}. With manual progress, reading the event queue
 * is what takes connections; with automatic progress a thread of the fabric does.
 *
 * <p>Closing it closes requests that are not answered; their peers see {@link Errno#ECONNREFUSED}.
 * Accepted connections stay.
 *
 * <p>Safe to call from any thread.
 */
public interface PassiveEndpoint extends FabricObject {
  /** {@return the fabric that the endpoint belongs to} */
  Fabric fabric();

  /** {@return what the endpoint was opened with} */
  FabricInfo info();

  /**
   * {@code fi_pep_bind} of an event queue, once and before {@link #listen}.
   *
   * @param queue where requests are reported, of the same fabric
   * @throws FabricException with {@link Errno#EINVAL} if a queue is bound already or the fabric is
   *     another
   */
  void bind(EventQueue queue);

  /**
   * {@code fi_control} with {@code FI_BACKLOG}: how many requests may be waiting for an answer, on
   * their way to the event queue, in it, or taken from it. Further ones are refused at once. 1,024
   * unless this is called.
   *
   * @param requests 1 to 65,536
   * @throws FabricException with {@link Errno#EINVAL} for another number
   */
  void backlog(int requests);

  /**
   * How long a request may wait for an answer, before {@link #listen}: until it is rejected, or an
   * endpoint is opened for it. After that it is refused, and {@linkplain #reject rejecting} it does
   * nothing. One minute unless this is called.
   *
   * @param timeout more than nothing; the longest there is stands for ever
   * @throws FabricException with {@link Errno#EINVAL} for another one, or if it listens
   */
  void answerTimeout(Duration timeout);

  /**
   * Has all connections that are accepted encrypted, before {@link #listen}; see {@link
   * Endpoint#secure}.
   *
   * @param security who we are, and whom we trust
   * @throws FabricException with {@link Errno#EINVAL} if it listens
   */
  void secure(TransportSecurity security);

  /**
   * {@code fi_listen}: takes connections from now on.
   *
   * @throws FabricException with {@link Errno#ENOEQ} without event queue, {@link Errno#EINVAL} if
   *     it listens already, or the errno of the network when its address cannot be used
   */
  void listen();

  /**
   * {@code fi_getname}: the address that peers connect to.
   *
   * @return the address in the format of the information
   * @throws FabricException with {@link Errno#EOPBADSTATE} before {@link #listen}
   */
  FabricAddress name();

  /**
   * {@code fi_setname}: says where to listen, in place of the source of the information; before
   * {@link #listen}. Port 0 is any. Whether the address can be had is found out by {@code listen}.
   *
   * @param address an address of this host, of the family that the information has
   * @throws FabricException with {@link Errno#EINVAL} if it is of another family, or it listens
   */
  void name(FabricAddress address);

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
  default FabricAddress address() {
    return name();
  }
}
