// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code fi_scalable_ep}, fi_endpoint(3): an endpoint with several transmit and several receive
 * contexts. It has one address, one address vector and one connection to each peer, which all
 * contexts share; each context has completion queues and counters of its own, so that threads need
 * not share those.
 *
 * <p>Transmit contexts send, and read and write the memory of peers; receive contexts receive. A
 * context can be closed and opened again; what a closed one had posted is dropped without a
 * completion.
 *
 * <p>Peers reach receive context 0 by the plain handle of the scalable endpoint, and context {@code
 * i} by {@link AddressVector#atReceiveContext vector.atReceiveContext(handle, i)}, if their domain
 * has {@link Capability#NAMED_RECEIVE_CONTEXT}. A message for a context that is not open waits for
 * it like one that came before its receive. A message for a context that the endpoint does not have
 * is refused at the sender: it completes with {@link Errno#EINVAL}, or with {@link
 * Errno#EOPNOTSUPP} if the peer is an endpoint without receive contexts to be named, as all C
 * programs are.
 *
 * <p>How many contexts there can be is in {@link FabricInfo.EndpointAttributes}, as asked for with
 * {@link Hints#withTransmitContexts} and {@link Hints#withReceiveContexts}.
 *
 * <p>Safe to call from any thread. Contexts may be used by different threads at once; inside they
 * take turns, because they share connections.
 *
 * {@snippet class="examples.Messages" region="scalable"}
 */
public interface ScalableEndpoint extends FabricObject {
  /** {@return the domain that the endpoint belongs to} */
  Domain domain();

  /** {@return what the endpoint was opened with} */
  FabricInfo info();

  /**
   * Connects to peers before anything is sent to them, as {@link ReliableEndpoint#warmUp} does.
   *
   * @param handles the peers
   * @throws FabricException with {@link Errno#EINVAL} if one of the handles names no entry that can
   *     be sent to, or {@link Errno#ENOKEY} if it is not under an authorization key that counts
   */
  void warmUp(long... handles);

  /**
   * {@code fi_tx_context}: opens one of the transmit contexts. Its {@link Endpoint#info info} is
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
   * {@code fi_rx_context}: opens one of the receive contexts. Its {@link Endpoint#info info} is
   * that of the scalable endpoint without the capabilities of sending, and with what options say.
   *
   * @param index which one, from 0 on: the index in {@link AddressVector#atReceiveContext}
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
  FabricAddress address();

  /**
   * What became of the connections, which all contexts share, since the endpoint was opened; what
   * was sent and received is in the {@linkplain Endpoint#statistics statistics} of contexts. Waits
   * for nobody.
   *
   * @return the numbers of now
   */
  ConnectionStatistics statistics();
}
