// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages, fi_msg(3). Any number of threads may.
 *
 * <p>Each operation has an everyday form and one that takes a request with all that can be said;
 * each of the two throws if the transmit queue is full, or answers false if its name begins with
 * {@code try}.
 */
public interface MessageSender {
  /**
   * {@code fi_send}: sends a message. With {@link Progress#MANUAL} a short one may wait for the
   * next ones if many are posted in a row, until a queue or counter of the endpoint is read; {@link
   * CompletionLevel#TRANSMITTED} says that it must not.
   *
   * <p>The bytes must stay as they are until the completion was read. A message or write that waits
   * (over native fabrics one in memory of {@link Domain#allocate}, the others are copied) fails
   * with {@link Errno#EINVAL} if they were changed, as far as a check finds that: it reads the
   * first, the middle and the last 8 bytes.
   *
   * @param message the bytes, in memory of any kind; with {@link Progress#AUTO} not of a confined
   *     arena
   * @param destination handle of the peer
   * @param context comes back in the completion
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException with {@link Errno#EOPNOTSUPP} if the endpoint only receives, {@link
   *     Errno#EINVAL} if the handle names no entry, or one that cannot be sent to, or the memory
   *     cannot be read, {@link Errno#EMSGSIZE} if the message is too long for the endpoint, {@link
   *     Errno#ENOKEY} for an entry without authorization key, or under a key that the endpoint does
   *     not hold, where there are such keys, {@link Errno#EFIREWALLADDR} for a peer behind a
   *     firewall that has not connected, and {@link Errno#ESHUTDOWN} or {@link Errno#ENOTCONN} if
   *     the endpoint has one peer and no connection to it
   */
  boolean trySend(MemorySegment message, long destination, @Nullable Object context);

  /**
   * {@code fi_sendmsg}, {@code fi_sendv}, {@code fi_senddata}: sends a message.
   *
   * @param request the message, and all about it
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #trySend(MemorySegment, long, Object)}; {@link Errno#ENOSYS}
   *     for immediate data or several pieces that the endpoint cannot carry, {@link
   *     Errno#EBADFLAGS} for {@link CompletionLevel#COMMITTED}, and where the endpoint has one
   *     level only for another; {@link Errno#EINVAL} for too many pieces
   */
  boolean trySend(SendRequest request);

  /**
   * {@code fi_inject}: sends a message that may be overwritten as soon as the call returns, without
   * completion.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #trySend(MemorySegment, long, Object)}; {@link
   *     Errno#EMSGSIZE} for more bytes than are injected
   */
  boolean tryInject(MemorySegment message, long destination);

  /**
   * {@code fi_injectdata}: the same with immediate data.
   *
   * @param request one piece of memory, destination and data; the rest is not looked at
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link #tryInject(MemorySegment, long)}; {@link Errno#ENOSYS} for
   *     immediate data that the endpoint cannot carry, {@link Errno#EINVAL} for several pieces
   */
  boolean tryInject(SendRequest request);

  /**
   * As {@link #trySend(MemorySegment, long, Object)}.
   *
   * @param message the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   */
  default void send(MemorySegment message, long destination, @Nullable Object context) {
    if (!trySend(message, destination, context)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #trySend(SendRequest)}.
   *
   * @param request the message, and all about it
   * @throws TryAgainException if the transmit queue is full
   */
  default void send(SendRequest request) {
    if (!trySend(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInject(MemorySegment, long)}.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @throws TryAgainException if the transmit queue is full
   */
  default void inject(MemorySegment message, long destination) {
    if (!tryInject(message, destination)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInject(SendRequest)}.
   *
   * @param request one piece of memory, destination and data; the rest is not looked at
   * @throws TryAgainException if the transmit queue is full
   */
  default void inject(SendRequest request) {
    if (!tryInject(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }
}
