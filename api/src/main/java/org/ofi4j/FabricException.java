// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * A call that was refused or went wrong: carries the fabric errno, and says in words which argument
 * broke which rule and what to do. Control characters of values in the message are visible escapes
 * ({@link Printable#line}).
 *
 * <p>Expected outcomes (counts, errors of single addresses, nothing to read yet) are return values
 * instead.
 */
public class FabricException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reason. */
  private final Errno errno;

  /**
   * A failure with its reason.
   *
   * @param errno the fabric errno
   * @param message what was wrong, with the value, and what to do
   */
  public FabricException(Errno errno, String message) {
    super(text(errno, message));
    this.errno = errno;
  }

  /**
   * A failure with its reason and what caused it.
   *
   * @param errno the fabric errno
   * @param message what was wrong, with the value, and what to do
   * @param cause the cause
   */
  public FabricException(Errno errno, String message, Throwable cause) {
    super(text(errno, message), cause);
    this.errno = errno;
  }

  /**
   * A failure without a stack trace, for conditions that are part of normal flow such as a full
   * transmit queue.
   *
   * @param errno the fabric errno
   * @param message what was wrong and what to do
   * @param stackTrace whether to fill in the stack trace
   */
  protected FabricException(Errno errno, String message, boolean stackTrace) {
    super(text(errno, message), null, stackTrace, stackTrace);
    this.errno = errno;
  }

  /** Messages quote what applications passed, which may have been given to them by anybody. */
  private static String text(Errno errno, String message) {
    return errno.name() + " (" + errno.number() + "): " + Printable.line(message);
  }

  /** {@return the reason as an enumeration constant} */
  public Errno errno() {
    return errno;
  }

  /** {@return the number that the C call would have returned, the negative errno} */
  public int code() {
    return -errno.number();
  }
}
