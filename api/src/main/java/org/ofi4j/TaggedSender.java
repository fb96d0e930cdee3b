// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends tagged messages, fi_tagged(3). They go to tagged receives only. Any number of threads may
 * send. The forms are those of {@link MessageSender}.
 */
public interface TaggedSender {
  /**
   * {@code fi_tsend}: sends a tagged message.
   *
   * @param message the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @param context comes back in the completion
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#trySend(MemorySegment, long, Object)}
   */
  boolean trySendTagged(
      MemorySegment message, long destination, long tag, @Nullable Object context);

  /**
   * {@code fi_tsendmsg}, {@code fi_tsendv}, {@code fi_tsenddata}: sends a tagged message.
   *
   * @param request the message, and all about it
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#trySend(SendRequest)}
   */
  boolean trySendTagged(TaggedSendRequest request);

  /**
   * {@code fi_tinject}: sends a tagged message that may be overwritten as soon as the call returns,
   * without completion.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#tryInject(MemorySegment, long)}
   */
  boolean tryInjectTagged(MemorySegment message, long destination, long tag);

  /**
   * {@code fi_tinjectdata}: the same with immediate data.
   *
   * @param request one piece of memory, destination, tag and data; the rest is not looked at
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#tryInject(SendRequest)}
   */
  boolean tryInjectTagged(TaggedSendRequest request);

  /**
   * As {@link #trySendTagged(MemorySegment, long, long, Object)}.
   *
   * @param message the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   */
  default void sendTagged(
      MemorySegment message, long destination, long tag, @Nullable Object context) {
    if (!trySendTagged(message, destination, tag, context)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #trySendTagged(TaggedSendRequest)}.
   *
   * @param request the message, and all about it
   * @throws TryAgainException if the transmit queue is full
   */
  default void sendTagged(TaggedSendRequest request) {
    if (!trySendTagged(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInjectTagged(MemorySegment, long, long)}.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @throws TryAgainException if the transmit queue is full
   */
  default void injectTagged(MemorySegment message, long destination, long tag) {
    if (!tryInjectTagged(message, destination, tag)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInjectTagged(TaggedSendRequest)}.
   *
   * @param request one piece of memory, destination, tag and data; the rest is not looked at
   * @throws TryAgainException if the transmit queue is full
   */
  default void injectTagged(TaggedSendRequest request) {
    if (!tryInjectTagged(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }
}
