// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes buffers for messages, fi_msg(3). Any number of threads may post. The forms are those of
 * {@link MessageSender}.
 */
public interface MessageReceiver {
  /**
   * {@code fi_recv}: posts a buffer for one message.
   *
   * @param buffer takes the message; must be left alone until the completion was read
   * @param context comes back in the completion
   * @return false if the receive queue is full, and nothing was done
   * @throws FabricException with {@link Errno#EOPNOTSUPP} if the endpoint only sends, or shares its
   *     receives, {@link Errno#EINVAL} if the memory cannot be written, or a source must be said
   */
  boolean tryReceive(MemorySegment buffer, @Nullable Object context);

  /**
   * {@code fi_recvmsg}, {@code fi_recvv}: posts a buffer for one message, or for several; or looks
   * for a message that has come.
   *
   * @param request what is to be received, and how
   * @return false if the receive queue is full, and nothing was done
   * @throws FabricException as {@link #tryReceive(MemorySegment, Object)}; {@link Errno#EINVAL} if
   *     the source is looked at and names no entry, or no key that the endpoint holds, or for too
   *     many pieces, {@link Errno#ENOKEY} if it names an entry under a key that the endpoint does
   *     not hold, {@link Errno#EBADFLAGS} for a mode that the endpoint does not have, {@link
   *     Errno#ENOSYS} if it does not scatter
   */
  boolean tryReceive(ReceiveRequest request);

  /**
   * {@code fi_cancel}: withdraws a posted receive, also a tagged one; it completes with {@link
   * Errno#ECANCELED}.
   *
   * @param context the context that it was posted with, compared by identity
   * @return false if no such receive is waiting
   */
  boolean cancel(@Nullable Object context);

  /**
   * As {@link #tryReceive(MemorySegment, Object)}.
   *
   * @param buffer takes the message; must be left alone until the completion was read
   * @param context comes back in the completion
   * @throws TryAgainException if the receive queue is full
   */
  default void receive(MemorySegment buffer, @Nullable Object context) {
    if (!tryReceive(buffer, context)) {
      throw TryAgainException.receiveQueueFull();
    }
  }

  /**
   * As {@link #tryReceive(ReceiveRequest)}.
   *
   * @param request what is to be received, and how
   * @throws TryAgainException if the receive queue is full
   */
  default void receive(ReceiveRequest request) {
    if (!tryReceive(request)) {
      throw TryAgainException.receiveQueueFull();
    }
  }
}
