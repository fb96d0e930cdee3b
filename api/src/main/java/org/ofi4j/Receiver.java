// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes buffers for messages: an {@link Endpoint}, or the {@link SharedReceiveContext} of several.
 *
 * <p>Any number of threads may post. A posted buffer must be left alone until its completion was
 * read. Tagged messages go to tagged receives only, other messages to other receives.
 */
public interface Receiver extends MessageReceiver, TaggedReceiver {
  /**
   * {@code fi_recvmsg}: posts a buffer for one message, from one source if the endpoint can select;
   * or for several messages, with {@link TransferFlag#MULTI_RECEIVE}.
   *
   * <p>A receive with a source takes messages of that entry only, also such as came before the
   * entry was inserted. When the entry is removed the receive takes nothing any more, whatever is
   * inserted in its place; withdraw it with {@link #cancel}.
   *
   * @param buffer takes the message
   * @param source handle of the sender or {@link Handles#UNSPECIFIED}; ignored without {@link
   *     Capability#DIRECTED_RECEIVE}, and mandatory with {@link Capability#EXACT_DIRECTED_RECEIVE}
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the receive queue is full
   * @throws FabricException with {@link Errno#EOPBADSTATE} if it must be enabled first, {@link
   *     Errno#EOPNOTSUPP} if the endpoint only sends, or shares its receives, {@link Errno#EINVAL}
   *     if the source is looked at and names no entry, or no key that the endpoint holds, or the
   *     memory cannot be written, {@link Errno#ENOKEY} if it names an entry under a key that the
   *     endpoint does not hold, {@link Errno#EBADFLAGS} for flags that the endpoint does not know
   *     or that do not go together
   */
  void receive(MemorySegment buffer, long source, @Nullable Object context, long flags);

  /**
   * {@code fi_recvv}, or {@code fi_recvmsg} with several pieces of memory: posts them for one
   * message that is scattered over them.
   *
   * @param parts take the message, one after the other, at most {@link FabricInfo.Receive#iovLimit}
   *     pieces; the array is not looked at after the call
   * @param source handle of the sender, as in {@link #receive(MemorySegment, long, Object, long)}
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}, without {@link TransferFlag#MULTI_RECEIVE}
   * @throws TryAgainException if the receive queue is full
   * @throws FabricException as {@link #receive(MemorySegment, long, Object, long)}; {@link
   *     Errno#EINVAL} for too many pieces, {@link Errno#ENOSYS} if the endpoint does not scatter
   */
  void receive(MemorySegment[] parts, long source, @Nullable Object context, long flags);

  /**
   * {@code fi_trecv}: posts a buffer for one tagged message.
   *
   * @param buffer takes the message
   * @param tag the tag that the message must have
   * @param ignore bits of the tag that may differ
   * @param context comes back in the completion
   */
  default void receiveTagged(
      MemorySegment buffer, long tag, long ignore, @Nullable Object context) {
    receiveTagged(buffer, Handles.UNSPECIFIED, tag, ignore, context, 0);
  }

  /**
   * {@code fi_trecvmsg}: posts a buffer for one tagged message, from one source if the endpoint can
   * select.
   *
   * @param buffer takes the message
   * @param source handle of the sender or {@link Handles#UNSPECIFIED}; ignored without {@link
   *     Capability#DIRECTED_RECEIVE} and {@link Capability#TAGGED_DIRECTED_RECEIVE}, mandatory with
   *     {@link Capability#EXACT_DIRECTED_RECEIVE}
   * @param tag the tag that the message must have
   * @param ignore bits of the tag that may differ
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the receive queue is full
   * @throws FabricException with {@link Errno#EOPBADSTATE} if it must be enabled first, {@link
   *     Errno#ENOSYS} if the endpoint has no tagged messages, else as {@link
   *     #receive(MemorySegment, long, Object, long)}
   */
  void receiveTagged(
      MemorySegment buffer,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_trecvv}, or {@code fi_trecvmsg} with several pieces of memory: posts them for one
   * tagged message that is scattered over them.
   *
   * @param parts take the message, one after the other, at most {@link FabricInfo.Receive#iovLimit}
   *     pieces; the array is not looked at after the call
   * @param source handle of the sender, as in {@link #receiveTagged(MemorySegment, long, long,
   *     long, Object, long)}
   * @param tag the tag that the message must have
   * @param ignore bits of the tag that may differ
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the receive queue is full
   * @throws FabricException as {@link #receive(MemorySegment[], long, Object, long)}
   */
  void receiveTagged(
      MemorySegment[] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_setopt} with {@code FI_OPT_MIN_MULTI_RECV}: how much of a buffer that was posted with
   * {@link TransferFlag#MULTI_RECEIVE} must be left for it to take another message. A message that
   * is longer than what is left is truncated; so this should be the length of the longest message.
   *
   * @param bytes the least that must be left, 1 or more
   * @throws FabricException with {@link Errno#EOPBADSTATE} if it must be enabled first, {@link
   *     Errno#EINVAL} for less than 1, {@link Errno#ENOSYS} if the endpoint has no such receives
   */
  void minMultiReceive(long bytes);
}
