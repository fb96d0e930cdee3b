// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;

/**
 * Completions that a thread which polls a queue reports itself while it makes progress: they reach
 * its handler without the ring, and so without its atomic operations. They have claimed slots of
 * the ring, to which those are moved that the handler does not get.
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

  /** Adds a success to a batch that takes it. */
  void add(@Nullable Object context, long flags, long length, long data, long tag, long source) {
    int field = count * STRIDE;
    contexts[count++] = context;
    fields[field] = flags;
    fields[field + 1] = length;
    fields[field + 2] = data;
    fields[field + 3] = tag;
    fields[field + 4] = source;
  }

  /** Adds a failure to a batch that takes it. */
  void add(Completion.Failure failure) {
    failures[count++] = failure;
  }

  /**
   * Ends the batch: hands its completions over.
   *
   * @return how many the handler got, also by calls of the queue that it made
   */
  int deliver(CompletionHandler handler) {
    open = false;
    try {
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
    } finally {
      end();
    }
    return next;
  }

  /** Ends the batch: moves the completions that no handler got to the ring. */
  void end() {
    spill();
    passed.lazySet(passed.getPlain() + next);
    ring.release(limit);
    owner.setRelease(null);
  }

  /** Moves the completions that are left to the ring, if the calling thread has the batch. */
  void spill() {
    if (!isOwn()) {
      return;
    }
    open = false;
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
  }

  /** How many completions have reached a handler without the ring. */
  long passed() {
    return passed.get();
  }
}
