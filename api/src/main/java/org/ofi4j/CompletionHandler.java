// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * Takes completions as plain values, so that reading them allocates nothing.
 *
 * {@snippet class="examples.Queues" region="handler"}
 */
@FunctionalInterface
public interface CompletionHandler {
  /**
   * An operation succeeded.
   *
   * @param context the operation's context
   * @param flags bits of {@link CompletionFlag}
   * @param length bytes received
   * @param data immediate data, if flags say so
   * @param tag the tag of a tagged message
   * @param source the sender's handle or user id, or {@link Handles#NOT_AVAILABLE}
   */
  void completed(
      @Nullable Object context, long flags, long length, long data, long tag, long source);

  /**
   * An operation failed, or a message came from an unknown sender. Unless overridden, throws.
   *
   * @param failure what happened
   */
  default void failed(Completion.Failure failure) {
    throw new FabricException(failure.errno(), failure.reason());
  }
}
