// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code -FI_EAGAIN}: a queue is full for the moment; read completions and post again.
 *
 * <p>Has no stack trace, because it is part of normal flow when an application posts faster than
 * the fabric sends, and there are two of them: what is thrown again and again must cost nothing.
 * The {@code try…} forms of operations answer false instead.
 */
public final class TryAgainException extends FabricException {
  private static final long serialVersionUID = 1L;

  @SuppressWarnings("StaticAssignmentOfThrowable") // thrown again and again, it must cost nothing
  private static final TryAgainException TRANSMIT =
      new TryAgainException(
          "the transmit queue is full: read completions, then post again; info() says how many"
              + " entries it has");

  @SuppressWarnings("StaticAssignmentOfThrowable")
  private static final TryAgainException RECEIVE =
      new TryAgainException(
          "the receive queue is full: read completions, then post again; info() says how many"
              + " entries it has");

  private TryAgainException(String message) {
    super(Errno.EAGAIN, message, false);
  }

  /** {@return what says that no more can be sent, read or written for the moment} */
  public static TryAgainException transmitQueueFull() {
    return TRANSMIT;
  }

  /** {@return what says that no more receives can be posted for the moment} */
  public static TryAgainException receiveQueueFull() {
    return RECEIVE;
  }
}
