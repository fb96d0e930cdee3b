// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.Counters;

/**
 * Room for the completion of the operation that is being carried out. Claimed first, then used, or
 * {@linkplain #giveBack given back} if it still is {@linkplain #isHeld held}: whoever claims does
 * that on every way out, or the queue would have less room for good.
 *
 * <p>For one thread at a time: the lock of the endpoint's half guards it.
 */
final class ClaimedRoom {
  private static final byte[] NONE = {};

  private final CoreCompletionQueue queue;
  private final Counters counters;
  private final CounterFlag what;
  private final long flags;
  private boolean held;

  /**
   * Room in the queue of a binding.
   *
   * @param flags of all completions
   */
  ClaimedRoom(Binding binding, CounterFlag what, long flags) {
    queue = binding.requiredQueue();
    counters = binding.counters();
    this.what = what;
    this.flags = flags;
  }

  /** False if the queue is full. */
  boolean claim() {
    held = queue.reserve();
    return held;
  }

  /** Whether no outcome has been reported yet. */
  boolean isHeld() {
    return held;
  }

  /**
   * The operation has succeeded.
   *
   * @param length what the completion says, which is 0 of a message that was sent
   * @param bytes how long the message is
   */
  void complete(@Nullable Object context, long length, long source, long bytes) {
    held = false;
    counters.succeeded(what, bytes);
    queue.complete(context, flags, length, 0, 0, source);
    counters.count(what, false);
  }

  /** The operation has succeeded, and its completion is not wanted. */
  void completeInSilence(long bytes) {
    counters.succeeded(what, bytes);
    giveBack();
    counters.count(what, false);
  }

  /** The operation has failed as a whole. */
  void fail(@Nullable Object context, Errno errno, String reason) {
    fail(context, 0, 0, Handles.NOT_AVAILABLE, errno, NONE, reason);
  }

  void fail(
      @Nullable Object context,
      long length,
      long overflow,
      long source,
      Errno errno,
      byte[] errorData,
      String reason) {
    Completion.Failure failure =
        Completion.Failure.of(errno, reason)
            .context(context)
            .flags(flags)
            .length(length)
            .overflow(overflow)
            .source(source)
            .errorData(errorData)
            .build();
    held = false;
    counters.failed(what);
    queue.fail(failure);
    counters.count(what, true);
  }

  /** Does nothing if the room was used. */
  void giveBack() {
    if (held) {
      held = false;
      queue.giveBack();
    }
  }
}
