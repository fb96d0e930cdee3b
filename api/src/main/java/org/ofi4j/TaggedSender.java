// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Sends tagged messages, fi_tagged(3). They go to tagged receives only. Any number of threads may
 * send.
 *
 * <p>All calls take a request. In the C calls that take values, destination and tag are two numbers
 * side by side, and a message with the two exchanged goes to another peer without an error. A
 * {@link TaggedSendRequest} can be used again, which allocates nothing.
 */
public interface TaggedSender {
  /**
   * {@code fi_tsend}, {@code fi_tsendv}, {@code fi_tsenddata}, {@code fi_tsendmsg}: sends a tagged
   * message.
   *
   * @param request the message, its destination and tag; the memory must stay as it is until the
   *     completion was read
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#trySend(SendRequest)}
   */
  boolean trySendTagged(TaggedSendRequest request);

  /**
   * {@code fi_tinject}, {@code fi_tinjectdata}: sends a tagged message that may be overwritten as
   * soon as the call returns, without completion.
   *
   * @param request one piece of memory of at most {@link FabricInfo.Transmit#injectSize} bytes,
   *     destination, tag, and immediate data if there is any; other fields are not read
   * @return false if the transmit queue is full, and nothing was done
   * @throws FabricException as {@link MessageSender#tryInject(SendRequest)}
   */
  boolean tryInjectTagged(TaggedSendRequest request);

  /**
   * As {@link #trySendTagged}.
   *
   * @param request the message, its destination and tag
   * @throws TryAgainException if the transmit queue is full
   */
  default void sendTagged(TaggedSendRequest request) {
    if (!trySendTagged(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }

  /**
   * As {@link #tryInjectTagged}.
   *
   * @param request one piece of memory, destination, tag, and immediate data if there is any
   * @throws TryAgainException if the transmit queue is full
   */
  default void injectTagged(TaggedSendRequest request) {
    if (!tryInjectTagged(request)) {
      throw TryAgainException.transmitQueueFull();
    }
  }
}
