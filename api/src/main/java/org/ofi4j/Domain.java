// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * {@code struct fid_domain}, fi_domain(3): one interface of a network, and what is opened on it.
 * Safe to call from any thread.
 */
public interface Domain extends FabricObject {
  /** {@return the fabric that the domain belongs to} */
  Fabric fabric();

  /** {@return what the domain was opened with} */
  FabricInfo info();

  /**
   * {@code fi_av_open}.
   *
   * @param options how the vector is to behave
   * @return a new address vector
   * @throws FabricException with {@link Errno#EINVAL} for options that are wrong or do not fit the
   *     domain; {@link Errno#ENOMEM} without memory. With a name: {@link Errno#ENOSYS} where the
   *     domain shares no vectors, {@link Errno#EINVAL} if the vector of that name is of another
   *     kind, {@link Errno#ENOENT} if it is to be read and nobody has it open, {@link Errno#EACCES}
   *     if its files are not this user's alone, {@link Errno#EAGAIN} if others lock it for too
   *     long, {@link Errno#EBUSY} if this process has it open through another class loader, {@link
   *     Errno#ENOMEM} without room for its files, {@link Errno#EIO} if they are damaged. With a
   *     saved vector: {@link Errno#ENOSYS} where the domain has authorization keys in vectors,
   *     {@link Errno#EINVAL} if it is of another kind, {@link Errno#ENOENT} if there is no such
   *     file, {@link Errno#EIO} if it is damaged or cannot be read
   */
  AddressVector openAddressVector(VectorOptions options);

  /**
   * {@code fi_av_open} of a table, with defaults.
   *
   * @return a new vector
   */
  default AddressVector openAddressVector() {
    return openAddressVector(VectorOptions.table());
  }

  /**
   * The named vectors of the domain, looked at from outside.
   *
   * @return a look at them
   * @throws FabricException with {@link Errno#ENOSYS} if the domain shares no vectors
   */
  default SharedVectors sharedVectors() {
    throw new FabricException(
        Errno.ENOSYS,
        "domain "
            + info().domain().name()
            + " shares no vectors: ask for the capability FI_SHARED_AV in the hints");
  }

  /**
   * {@code fi_cq_open} with defaults.
   *
   * @return a new completion queue
   */
  default CompletionQueue openCompletionQueue() {
    return openCompletionQueue(CompletionQueueOptions.defaults());
  }

  /**
   * {@code fi_cq_open}.
   *
   * @param options size, format and context
   * @return a new completion queue
   * @throws FabricException with {@link Errno#EINVAL} if the size is too large, {@link
   *     Errno#ENOMEM} without memory for it
   */
  CompletionQueue openCompletionQueue(CompletionQueueOptions options);

  /**
   * {@code fi_mr_reg} with a key of the provider's choice, which nobody can guess.
   *
   * @param memory the memory, of any kind
   * @param access what it may be used for
   * @return a region that peers can use from now on
   */
  default MemoryRegion register(MemorySegment memory, Access... access) {
    return register(memory, RegisterOptions.of(access));
  }

  /**
   * {@code fi_mr_regattr}: lets peers read or write memory. Over native fabrics it must be memory
   * that nobody frees meanwhile: {@linkplain #allocate allocated} by the domain, of the global
   * arena, or {@linkplain RegisterOptions#withLastingMemory promised} to last.
   *
   * @param memory the memory, at least one byte
   * @param options what it may be used for, by whom, and under which name
   * @return a region that peers can use from now on
   * @throws FabricException with {@link Errno#ENOKEY} if another open region has the key, or an
   *     entry is under no authorization key, or only other processes have inserted the key; {@link
   *     Errno#EKEYREJECTED} for {@link Handles#KEY_NOT_AVAILABLE}; {@link Errno#EINVAL} for no
   *     bytes, for memory that is freed, read-only but writable for peers, or confined to a thread
   *     where the domain's own moves data, for unknown bits; without a vector in a domain that has
   *     authorization keys in vectors, and with one in others; for a vector that is of another
   *     domain or has no key, a handle that names nothing, or one key or peer in a domain without
   *     {@link Capability#DIRECTED_RECEIVE}; {@link Errno#ENOSYS} if the domain has no remote
   *     access
   */
  MemoryRegion register(MemorySegment memory, RegisterOptions options);

  /**
   * Allocates memory for messages, which no fabric has to copy. C programs register theirs ({@code
   * fi_mr_reg}) where the fabric demands that; this does so too.
   *
   * @param bytes how many, at least 1
   * @return memory outside the heap
   * @throws FabricException with {@link Errno#EINVAL} for less than 1 byte, {@link Errno#ENOMEM}
   *     without memory, or the errno of the fabric if it does not register it
   */
  TransferMemory allocate(long bytes);

  /**
   * {@code fi_cntr_open} without a context.
   *
   * @return a new counter, at 0
   */
  default Counter openCounter() {
    return openCounter(null);
  }

  /**
   * {@code fi_cntr_open}.
   *
   * @param context returned by {@link FabricObject#context}
   * @return a new counter, at 0
   */
  Counter openCounter(@Nullable Object context);

  /**
   * {@code fi_endpoint}, {@code fi_ep_bind} and {@code fi_enable}: an endpoint of the kind that the
   * information has, for programs that work with any; others name the kind.
   *
   * @param info an answer of {@link Fabrics#info} for this domain; its source address is where the
   *     endpoint will be, unless options say it; or that of an {@link Event.ConnectionRequest},
   *     which the endpoint then has to accept: nobody else can, and closing the endpoint without
   *     that refuses it
   * @param options what it works with
   * @return a {@link DatagramEndpoint}, {@link ReliableEndpoint} or {@link ConnectedEndpoint}
   * @throws FabricException with {@link Errno#EINVAL} if the information, or what options name, is
   *     of another domain or provider, or the connection request was answered or taken already;
   *     {@link Errno#ECONNABORTED} if the peer of the request has gone; {@link Errno#ENOCQ} without
   *     completion queues, or counters in their place; {@link Errno#ENOAV} without address vector
   *     or, if it connects, {@link Errno#ENOEQ} without event queue; {@link Errno#EINVAL} where
   *     endpoints take authorization keys and the vector has none, or share receives and options
   *     name no context; {@link Errno#ENOSYS} for options that are not for its kind; or the errno
   *     of the network when its address cannot be used, such as {@link Errno#EADDRINUSE}. Nothing
   *     is left open then
   */
  MessageEndpoint openEndpoint(FabricInfo info, EndpointOptions options);

  /**
   * An endpoint of the kind that the domain has.
   *
   * @param options what it works with
   * @return as {@link #openEndpoint(FabricInfo, EndpointOptions)}
   */
  default MessageEndpoint openEndpoint(EndpointOptions options) {
    return openEndpoint(info(), options);
  }

  /**
   * {@code fi_endpoint} of type {@code FI_EP_DGRAM}.
   *
   * @param info as in {@link #openEndpoint(FabricInfo, EndpointOptions)}, of type {@link
   *     EndpointType#DGRAM}
   * @param options what it works with
   * @return an endpoint that is ready
   * @throws FabricException as there; {@link Errno#EINVAL} if the information is of another type
   */
  default DatagramEndpoint openDatagramEndpoint(FabricInfo info, EndpointOptions options) {
    checkKind(info, EndpointType.DGRAM);
    return (DatagramEndpoint) openEndpoint(info, options);
  }

  /**
   * The same with the information that the domain was opened with.
   *
   * @param options what it works with
   * @return an endpoint that is ready
   */
  default DatagramEndpoint openDatagramEndpoint(EndpointOptions options) {
    return openDatagramEndpoint(info(), options);
  }

  /**
   * The same with one queue for everything.
   *
   * @param vector what handles refer to
   * @param queue what all operations are reported to
   * @return an endpoint that is ready
   */
  default DatagramEndpoint openDatagramEndpoint(AddressVector vector, CompletionQueue queue) {
    return openDatagramEndpoint(EndpointOptions.of(vector, queue));
  }

  /**
   * {@code fi_endpoint} of type {@code FI_EP_RDM}.
   *
   * @param info as in {@link #openEndpoint(FabricInfo, EndpointOptions)}, of type {@link
   *     EndpointType#RDM}
   * @param options what it works with
   * @return an endpoint that is ready
   * @throws FabricException as there; {@link Errno#EINVAL} if the information is of another type
   */
  default ReliableEndpoint openReliableEndpoint(FabricInfo info, EndpointOptions options) {
    checkKind(info, EndpointType.RDM);
    return (ReliableEndpoint) openEndpoint(info, options);
  }

  /**
   * The same with the information that the domain was opened with.
   *
   * @param options what it works with
   * @return an endpoint that is ready
   */
  default ReliableEndpoint openReliableEndpoint(EndpointOptions options) {
    return openReliableEndpoint(info(), options);
  }

  /**
   * The same with one queue for everything.
   *
   * @param vector what handles refer to
   * @param queue what all operations are reported to
   * @return an endpoint that is ready
   */
  default ReliableEndpoint openReliableEndpoint(AddressVector vector, CompletionQueue queue) {
    return openReliableEndpoint(EndpointOptions.of(vector, queue));
  }

  /**
   * {@code fi_endpoint} of type {@code FI_EP_MSG}: one to connect with, or for a request.
   *
   * @param info as in {@link #openEndpoint(FabricInfo, EndpointOptions)}, of type {@link
   *     EndpointType#MSG}
   * @param options what it works with
   * @return an endpoint that is ready
   * @throws FabricException as there; {@link Errno#EINVAL} if the information is of another type
   */
  default ConnectedEndpoint openConnectedEndpoint(FabricInfo info, EndpointOptions options) {
    checkKind(info, EndpointType.MSG);
    return (ConnectedEndpoint) openEndpoint(info, options);
  }

  /**
   * The same with the information that the domain was opened with.
   *
   * @param options what it works with
   * @return an endpoint that is ready
   */
  default ConnectedEndpoint openConnectedEndpoint(EndpointOptions options) {
    return openConnectedEndpoint(info(), options);
  }

  /**
   * The same with one queue for everything.
   *
   * @param events where it reports how connecting went
   * @param queue what all operations are reported to
   * @return an endpoint that is ready
   */
  default ConnectedEndpoint openConnectedEndpoint(EventQueue events, CompletionQueue queue) {
    return openConnectedEndpoint(EndpointOptions.of(events, queue));
  }

  /**
   * {@code fi_scalable_ep}: an endpoint with several transmit and receive contexts.
   *
   * @param info an answer of {@link Fabrics#info} for this domain; how many contexts there are is
   *     in its {@link FabricInfo.EndpointAttributes}
   * @param options what it works with
   * @return a scalable endpoint that is ready
   * @throws FabricException with {@link Errno#EINVAL} if the information, or what options name, is
   *     of another domain or provider, or asks for more contexts than the domain has; {@link
   *     Errno#ENOAV} without address vector; {@link Errno#ENOSYS} if there are no scalable
   *     endpoints of that type; or the errno of the network when its address cannot be used
   */
  ScalableEndpoint openScalableEndpoint(FabricInfo info, ScalableOptions options);

  /**
   * The same with the information that the domain was opened with.
   *
   * @param options what it works with
   * @return a scalable endpoint that is ready
   */
  default ScalableEndpoint openScalableEndpoint(ScalableOptions options) {
    return openScalableEndpoint(info(), options);
  }

  /**
   * The same with a vector and nothing else.
   *
   * @param vector what handles refer to
   * @return a scalable endpoint that is ready
   */
  default ScalableEndpoint openScalableEndpoint(AddressVector vector) {
    return openScalableEndpoint(ScalableOptions.of(vector));
  }

  /**
   * {@code fi_srx_context}: receives that several endpoints share.
   *
   * @param info an answer of {@link Fabrics#info} for this domain; its {@link FabricInfo.Receive}
   *     says how many receives may be posted
   * @param options what it works with
   * @return a new shared receive context
   * @throws FabricException with {@link Errno#EINVAL} if the information is of another domain or
   *     provider; {@link Errno#EOPNOTSUPP} without {@link Capability#RECEIVE}; {@link Errno#ENOSYS}
   *     if endpoints of that type share no receives
   */
  SharedReceiveContext openSharedReceiveContext(FabricInfo info, SharedReceiveOptions options);

  /**
   * The same with the information that the domain was opened with.
   *
   * @param options what it works with
   * @return a new shared receive context
   */
  default SharedReceiveContext openSharedReceiveContext(SharedReceiveOptions options) {
    return openSharedReceiveContext(info(), options);
  }

  /**
   * The same with defaults.
   *
   * @return a new shared receive context
   */
  default SharedReceiveContext openSharedReceiveContext() {
    return openSharedReceiveContext(info(), SharedReceiveOptions.none());
  }

  /** Refuses information of endpoints of another kind than the caller has named. */
  private static void checkKind(FabricInfo info, EndpointType wanted) {
    EndpointType type = Arguments.required(info, "info").endpoint().type();
    if (type != wanted) {
      throw new FabricException(
          Errno.EINVAL,
          "the information is of endpoints of type %s, not %s: ask for that in the hints, or open"
                  .formatted(type, wanted)
              + " an endpoint of its kind");
    }
  }
}
