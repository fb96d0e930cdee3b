// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Takes buffers for tagged messages, fi_tagged(3). Any number of threads may post. The forms are
 * those of {@link MessageSender}.
 */
public interface TaggedReceiver {
  /**
   * {@code fi_trecv}: posts a buffer for one tagged message.
   *
   * @param buffer takes the message; must be left alone until the completion was read
   * @param pattern which tags the message may have
   * @param context comes back in the completion
   * @return false if the receive queue is full, and nothing was done
   * @throws FabricException as {@link MessageReceiver#tryReceive(MemorySegment, Object)}
   */
  boolean tryReceiveTagged(MemorySegment buffer, TagPattern pattern, @Nullable Object context);

  /**
   * {@code fi_trecvmsg}, {@code fi_trecvv}: posts a buffer for one tagged message, or looks for one
   * that has come.
   *
   * @param request what is to be received, and how
   * @return false if the receive queue is full, and nothing was done
   * @throws FabricException as {@link MessageReceiver#tryReceive(ReceiveRequest)}
   */
  boolean tryReceiveTagged(TaggedReceiveRequest request);

  /**
   * As {@link #tryReceiveTagged(MemorySegment, TagPattern, Object)}.
   *
   * @param buffer takes the message; must be left alone until the completion was read
   * @param pattern which tags the message may have
   * @param context comes back in the completion
   * @throws TryAgainException if the receive queue is full
   */
  default void receiveTagged(MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    if (!tryReceiveTagged(buffer, pattern, context)) {
      throw TryAgainException.receiveQueueFull();
    }
  }

  /**
   * As {@link #tryReceiveTagged(TaggedReceiveRequest)}.
   *
   * @param request what is to be received, and how
   * @throws TryAgainException if the receive queue is full
   */
  default void receiveTagged(TaggedReceiveRequest request) {
    if (!tryReceiveTagged(request)) {
      throw TryAgainException.receiveQueueFull();
    }
  }
}
