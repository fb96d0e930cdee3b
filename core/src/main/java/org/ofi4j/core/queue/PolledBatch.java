// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;

/**
 * Completions that a thread which polls a queue reports itself while it makes progress: they reach
 * its handler without the ring. They have claimed slots of the ring, to which those are moved that
 * the handler does not get.
 *
 * <p>One thread at a time {@linkplain #begin has} the batch. Only that thread reads and writes the
 * fields, except for {@link #passed}.
 */
final class PolledBatch {
  private static final int SIZE = 16;
  private static final int STRIDE = 5;

  private final CompletionRing ring;
  private final AtomicReference<@Nullable Thread> owner = new AtomicReference<>();
  private final AtomicLong passed = new AtomicLong();
  private final @Nullable Object[] contexts = new @Nullable Object[SIZE];
  private final Completion.@Nullable Failure[] failures = new Completion.@Nullable Failure[SIZE];
  private final long[] fields = new long[SIZE * STRIDE];
  private boolean open;
  private int limit;
  private int count;
  private int next;

  /** Creates a batch that no thread has. */
  PolledBatch(CompletionRing ring) {
    this.ring = ring;
  }

  /**
   * Begins a batch of completions that the calling thread reports.
   *
   * @param most the most that the handler takes, at least 1
   * @return false if another thread has the batch, or the ring is full
   */
  boolean begin(int most) {
    if (owner.getPlain() != null || !owner.compareAndSet(null, Thread.currentThread())) {
      return false;
    }
    limit = ring.reserve(Math.min(most, SIZE));
    count = 0;
    next = 0;
    open = limit > 0;
    if (!open) {
      owner.setRelease(null);
    }
    return open;
  }

  /** Whether the calling thread has the batch, and there is space in it. */
  boolean takes() {
    return isOwn() && open && count < limit;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself and no other
  private boolean isOwn() {
    return owner.getPlain() == Thread.currentThread();
  }

  /**
   * Adds a success to a batch that {@linkplain #takes takes} it.
   *
   * @return false if it belongs in the ring, in a slot that the batch has claimed: the ring has
   *     completions, and one may be of an earlier operation of the same endpoint
   */
  boolean add(@Nullable Object context, long flags, long length, long data, long tag, long source) {
    if (!ring.isEmpty()) {
      limit--;
      return false;
    }
    int field = count * STRIDE;
    contexts[count++] = context;
    fields[field] = flags;
    fields[field + 1] = length;
    fields[field + 2] = data;
    fields[field + 3] = tag;
    fields[field + 4] = source;
    return true;
  }

  /** Adds a failure to a batch that takes it, unless it belongs in the ring, as for a success. */
  boolean add(Completion.Failure failure) {
    if (!ring.isEmpty()) {
      limit--;
      return false;
    }
    failures[count++] = failure;
    return true;
  }

  /**
   * Passes the completions to a handler. The batch takes no more.
   *
   * @return the number of completions that were passed, also by calls of the queue that the handler
   *     made
   */
  int deliver(CompletionHandler handler) {
    open = false;
    while (next < count) {
      // Before the handler runs, which may throw, post, or read the queue.
      int which = next++;
      int field = which * STRIDE;
      Completion.Failure failure = failures[which];
      Object context = contexts[which];
      contexts[which] = null;
      if (failure == null) {
        handler.completed(
            context,
            fields[field],
            fields[field + 1],
            fields[field + 2],
            fields[field + 3],
            fields[field + 4]);
      } else {
        failures[which] = null;
        handler.failed(failure);
      }
    }
    return next;
  }

  /**
   * Ends the batch: moves the completions that were not passed to the ring.
   *
   * @return whether there were some, which waiting threads may take
   */
  boolean end() {
    boolean spilled = spill();
    passed.lazySet(passed.getPlain() + next);
    ring.release(limit);
    owner.setRelease(null);
    return spilled;
  }

  /**
   * Moves the remaining completions to the ring, if the calling thread has the batch, which takes
   * no more then.
   *
   * @return whether there were some, which waiting threads may take
   */
  boolean spill() {
    if (!isOwn()) {
      return false;
    }
    open = false;
    if (next == count) {
      return false;
    }
    for (int which = next; which < count; which++) {
      int field = which * STRIDE;
      Completion.Failure failure = failures[which];
      if (failure == null) {
        ring.add(
            contexts[which],
            fields[field],
            fields[field + 1],
            fields[field + 2],
            fields[field + 3],
            fields[field + 4]);
      } else {
        ring.add(failure);
      }
      contexts[which] = null;
      failures[which] = null;
      limit--;
    }
    count = next;
    return true;
  }

  /** How many completions have reached a handler without the ring. */
  long passed() {
    return passed.get();
  }
}
