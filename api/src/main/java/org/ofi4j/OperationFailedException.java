// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * An operation that ended with a failure, thrown by {@link CompletionQueue#take}. The errno is that
 * of the failure, which may be {@link Errno#ETIMEDOUT} too; this class tells it from a call that
 * found no completion in time.
 */
public final class OperationFailedException extends FabricException {
  private static final long serialVersionUID = 1L;

  /** The failure; not part of the serialized form, because contexts are objects of any class. */
  private final transient Completion.Failure failure;

  /**
   * An exception for a failure that was taken from a queue.
   *
   * @param failure the failure
   */
  public OperationFailedException(Completion.Failure failure) {
    super(
        Arguments.required(failure, "failure").errno(),
        "the operation %s with the context %s failed: %s"
            .formatted(failure.operation(), failure.context(), failure.reason()));
    this.failure = failure;
  }

  /** {@return the failure, with the context of the operation; null after deserialization} */
  public Completion.Failure failure() {
    return failure;
  }
}
