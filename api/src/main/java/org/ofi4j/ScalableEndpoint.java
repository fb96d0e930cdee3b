// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;

/**
 * {@code fi_scalable_ep}, fi_endpoint(3): an endpoint with several transmit and several receive
 * contexts. It has one address, one address vector and one connection to each peer, which all
 * contexts share; each context has completion queues and counters of its own, so that threads need
 * not share those.
 *
 * <p>Bind an address vector, open contexts and enable those. A context is an {@link Endpoint} that
 * does one half: transmit contexts send, and read and write the memory of peers; receive contexts
 * receive. A call for the other half is refused with {@link Errno#EOPNOTSUPP}. The vector is the
 * contexts' too; binding one to a context is refused, as is everything else that concerns all of
 * them: the time to connect and the shared receive context. A context can be closed and opened
 * again; what a closed one had posted is dropped without a completion.
 *
 * <p>Peers reach receive context 0 by the plain handle of the scalable endpoint, and context {@code
 * i} by {@link Handles#rxAddress Handles.rxAddress(handle, i, bits)} with the {@linkplain
 * AvAttributes#receiveContextBits bits} of their vector, if their domain has {@link
 * Capability#NAMED_RX_CONTEXT}. A message for a context that is not open waits for it like one that
 * came before its receive. A message for a context that the endpoint does not have is refused at
 * the sender: it completes with {@link Errno#EINVAL}, or with {@link Errno#EOPNOTSUPP} if the peer
 * is an endpoint without receive contexts to be named, as all C programs are.
 *
 * <p>How many contexts there can be is in {@link FabricInfo.EndpointAttributes}, as asked for with
 * {@link Hints#withTransmitContexts(int)} and {@link Hints#withReceiveContexts(int)}.
 *
 * <p>Safe to call from any thread. Contexts may be used by different threads at once; inside they
 * take turns, because they share connections.
 */
public interface ScalableEndpoint extends FabricObject {
  /** {@return the domain that the endpoint belongs to} */
  Domain domain();

  /** {@return what the endpoint was opened with} */
  FabricInfo info();

  /**
   * {@code fi_scalable_ep_bind} of an address vector.
   *
   * @param vector the vector that handles refer to, of the same domain
   */
  default void bind(AddressVector vector) {
    bind(vector, 0);
  }

  /**
   * {@code fi_scalable_ep_bind} of an address vector, once and before it or a context is enabled.
   * It is the vector of all contexts.
   *
   * @param vector the vector that handles refer to, of the same domain
   * @param flags must be 0
   * @throws FabricException with {@link Errno#EBADFLAGS} for any flag, {@link Errno#EINVAL} if a
   *     vector is bound already, the domain is another or the endpoint is enabled
   */
  void bind(AddressVector vector, long flags);

  /**
   * {@code fi_tx_context} without attributes of its own.
   *
   * @param index which one, from 0 on
   * @return an endpoint that only sends
   */
  default Endpoint openTransmitContext(int index) {
    return openTransmitContext(index, ContextAttributes.defaults());
  }

  /**
   * {@code fi_tx_context}: opens one of the transmit contexts. Its {@link Endpoint#info info} is
   * that of the scalable endpoint without the capabilities of receiving, and with the attributes
   * given. Bind a completion queue with {@link BindFlag#TRANSMIT} to it, and enable it.
   *
   * @param index which one, from 0 on
   * @param attributes in what it differs from others
   * @return an endpoint that only sends
   * @throws FabricException with {@link Errno#EINVAL} if there is no such context, for capabilities
   *     that the endpoint has not or that are not of sending, and for a size that is too large;
   *     {@link Errno#EBUSY} if it is open already, {@link Errno#EOPNOTSUPP} if the information has
   *     no capability to send, read or write
   */
  Endpoint openTransmitContext(int index, ContextAttributes attributes);

  /**
   * {@code fi_rx_context} without attributes of its own.
   *
   * @param index which one, from 0 on: the index in {@link Handles#rxAddress}
   * @return an endpoint that only receives
   */
  default Endpoint openReceiveContext(int index) {
    return openReceiveContext(index, ContextAttributes.defaults());
  }

  /**
   * {@code fi_rx_context}: opens one of the receive contexts. Its {@link Endpoint#info info} is
   * that of the scalable endpoint without the capabilities of sending, and with the attributes
   * given. Bind a completion queue with {@link BindFlag#RECEIVE} to it, and enable it.
   *
   * @param index which one, from 0 on: the index in {@link Handles#rxAddress}
   * @param attributes in what it differs from others
   * @return an endpoint that only receives
   * @throws FabricException with {@link Errno#EINVAL} if there is no such context, for capabilities
   *     that the endpoint has not or that are not of receiving, and for a size that is too large;
   *     {@link Errno#EBUSY} if it is open already, {@link Errno#EOPNOTSUPP} if the information has
   *     no capability to receive
   */
  Endpoint openReceiveContext(int index, ContextAttributes attributes);

  /**
   * {@code fi_enable}: takes the address, and connections from then on. Enabling the first context
   * does the same, so this may come before or after, or not at all.
   *
   * @throws FabricException with {@link Errno#ENOAV} without address vector, or the errno of the
   *     network when its address cannot be used
   */
  void enable();

  /**
   * {@code fi_getname}: the address that peers insert to reach this endpoint, the same for all
   * contexts.
   *
   * @return the address in the format of the domain
   * @throws FabricException with {@link Errno#EOPBADSTATE} before it or a context is enabled
   */
  FabricAddress name();

  /**
   * Says how long sends of any context wait for a connection to their peer, as {@link
   * Endpoint#connectTimeout} does.
   *
   * @param timeout more than nothing
   * @throws FabricException with {@link Errno#EINVAL} for another time or if it is enabled
   */
  void connectTimeout(Duration timeout);

  /**
   * Says what becomes of messages that come before a receive is posted for them, in all contexts
   * together, as {@link Endpoint#earlyMessages} does.
   *
   * @param bounds {@link EarlyMessages#defaults} unless this is called
   * @throws FabricException with {@link Errno#EINVAL} if the endpoint is enabled
   */
  void earlyMessages(EarlyMessages bounds);

  /**
   * Says how long a connection may go without a sign of life from the peer, as {@link
   * Endpoint#peerTimeout} does.
   *
   * @param timeout a second or more
   * @throws FabricException with {@link Errno#EINVAL} for another time or if it is enabled
   */
  void peerTimeout(Duration timeout);

  /**
   * Has connections closed that no context has needed for so long, as {@link Endpoint#idleTimeout}
   * does.
   *
   * @param timeout a millisecond or more
   * @throws FabricException with {@link Errno#EINVAL} for another time or if it is enabled
   */
  void idleTimeout(Duration timeout);

  /**
   * Encrypts all connections, and lets in only peers that prove who they are, as {@link
   * Endpoint#secure} does.
   *
   * @param security who we are, and whom we trust
   * @throws FabricException with {@link Errno#EINVAL} if it is enabled
   */
  void secure(TransportSecurity security);

  /**
   * Connects to peers before anything is sent to them, as {@link Endpoint#warmUp} does.
   *
   * @param handles the peers
   * @throws FabricException with {@link Errno#EINVAL} if one of the handles names no entry that can
   *     be sent to, {@link Errno#EOPBADSTATE} before it or a context is enabled
   */
  void warmUp(long... handles);

  /**
   * {@code fi_tx_context}: opens one of the transmit contexts. Its {@link AnyEndpoint#info info} is
   * that of the scalable endpoint without the capabilities of receiving, and with what options say.
   *
   * @param index which one, from 0 on
   * @param options what it works with
   * @return a context that is ready
   * @throws FabricException with {@link Errno#EINVAL} if there is no such context, for capabilities
   *     that the endpoint has not or that are not of sending, and for a size that is too large;
   *     {@link Errno#EBUSY} if it is open already, {@link Errno#EOPNOTSUPP} if the information has
   *     no capability to send, read or write, {@link Errno#ENOCQ} without a queue or a counter
   */
  TransmitContext openTransmitContext(int index, ContextOptions options);

  /**
   * {@code fi_rx_context}: opens one of the receive contexts. Its {@link AnyEndpoint#info info} is
   * that of the scalable endpoint without the capabilities of sending, and with what options say.
   *
   * @param index which one, from 0 on: the index in {@link Handles#rxAddress}
   * @param options what it works with
   * @return a context that is ready
   * @throws FabricException with {@link Errno#EINVAL} if there is no such context, for capabilities
   *     that the endpoint has not or that are not of receiving, and for a size that is too large;
   *     {@link Errno#EBUSY} if it is open already, {@link Errno#EOPNOTSUPP} if the information has
   *     no capability to receive, {@link Errno#ENOCQ} without a queue or a counter
   */
  ReceiveContext openReceiveContext(int index, ContextOptions options);

  /**
   * {@code fi_getname}: the address that peers insert to reach this endpoint, the same for all
   * contexts.
   *
   * @return the address in the format of the domain
   */
  default FabricAddress address() {
    return name();
  }
}
