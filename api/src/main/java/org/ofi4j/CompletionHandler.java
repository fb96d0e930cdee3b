// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * Takes completions as plain values, so that reading them allocates nothing. Both methods have to
 * be written: a handler cannot forget failures.
 *
 * <p>{@link CompletionQueue#poll} calls the handler in the thread that polls. An exception of the
 * handler is thrown by {@code poll}; its completion counts as delivered.
 *
 * {@snippet class="examples.Queues" region="handler"}
 */
public interface CompletionHandler {
  /**
   * An operation succeeded.
   *
   * @param context the operation's context, or null
   * @param flags bits of {@link CompletionFlag}; {@link Completion.Operation#of} names the
   *     operation
   * @param length bytes received; 0 for sends
   * @param data immediate data, if flags say so; 0 if there is none
   * @param tag the tag of a tagged message; 0 if there is none
   * @param source the sender's handle or user id, or {@link Handles#NOT_AVAILABLE}
   */
  void completed(
      @Nullable Object context, long flags, long length, long data, long tag, long source);

  /**
   * An operation failed, or a message came from an unknown sender.
   *
   * @param failure the operation and the reason
   */
  void failed(Completion.Failure failure);
}
