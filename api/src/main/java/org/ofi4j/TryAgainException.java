// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code -FI_EAGAIN}: a queue is full for the moment; read completions and post again.
 *
 * <p>Has no stack trace, because it is part of normal flow when an application posts faster than
 * the fabric sends. Providers keep one instance per endpoint.
 */
public final class TryAgainException extends FabricException {
  private static final long serialVersionUID = 1L;

  /**
   * A full queue.
   *
   * @param message which queue is full, and how many entries it has
   */
  public TryAgainException(String message) {
    super(Errno.EAGAIN, message, false);
  }
}
