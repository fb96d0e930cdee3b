// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CounterFlag;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Counters;

/**
 * Room for the completion of the operation that is being carried out. Claimed first, then used, or
 * {@linkplain #giveBack given back} if it still is {@linkplain #isHeld held}: whoever claims does
 * that on every way out, or the queue would have less room for good.
 *
 * <p>For one thread at a time: the lock of the endpoint's half guards it.
 */
final class ClaimedRoom {
  private final CoreCompletionQueue queue;
  private final Counters counters;
  private final CounterFlag what;
  private boolean held;

  /** Room in the queue of a binding. */
  ClaimedRoom(Binding binding, CounterFlag what) {
    queue = binding.requiredQueue();
    counters = binding.counters();
    this.what = what;
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

  void complete(@Nullable Object context, long flags, long length, long source) {
    held = false;
    queue.complete(context, flags, length, 0, 0, source);
    counters.count(what, false);
  }

  /** The operation has succeeded, and its completion is not wanted. */
  void completeInSilence() {
    giveBack();
    counters.count(what, false);
  }

  void fail(Completion.Failure failure) {
    held = false;
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
