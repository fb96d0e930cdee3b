// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.QueueStatistics;

/**
 * Completions in one order, in a fixed number of slots. Any number of threads may add and take;
 * nobody takes a lock and successes allocate nothing.
 *
 * <p>Room is claimed before an operation is carried out and used when its outcome is known, so that
 * an outcome always finds a slot and none is lost.
 *
 * <pre>
 *   slot i, 6 longs at 6 * i:  sequence | flags | length | data | tag | source
 *   contexts[i]:               the operation's context, or a Failed with all there is to say
 * </pre>
 *
 * <p>The sequence says whose the slot is: {@code p} the thread's that adds completion number {@code
 * p}, {@code p + 1} the thread's that takes it. It is written with release after the rest of the
 * slot and read with acquire before it, which makes the slot's plain fields visible.
 */
class CompletionRing {
  private static final long EMPTY = -1;

  /** The next completion is of the other kind. */
  private static final long OTHER_KIND = -2;

  /** Sets a failure apart from every object that an application may use as context. */
  private record Failed(Completion.Failure failure) {}

  /** How long to leave the processor to a reader that was stopped just before it freed its slot. */
  private static final long PAUSE = 20_000;

  private static final int STRIDE = 6;
  private static final int FLAGS = 1;
  private static final int LENGTH = 2;
  private static final int DATA = 3;
  private static final int TAG = 4;
  private static final int SOURCE = 5;

  private static final VarHandle SEQUENCE = MethodHandles.arrayElementVarHandle(long[].class);

  private final int size;
  private final int slots;
  private final long[] fields;
  private final @Nullable Object[] contexts;

  // How many completions were taken, added and claimed room for, ever:
  // head <= tail <= claimed <= head + size.
  private final AtomicLong head = new AtomicLong();
  private final AtomicLong tail = new AtomicLong();
  private final AtomicLong claimed = new AtomicLong();

  /**
   * An empty ring.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if there is no memory for it
   */
  CompletionRing(int size) {
    // At least two: with one, a slot that is free for the next would look like one that is filled.
    this.size = size;
    slots = size <= 2 ? 2 : Integer.highestOneBit(size - 1) << 1;
    try {
      fields = new long[slots * STRIDE];
      contexts = new @Nullable Object[slots];
    } catch (OutOfMemoryError none) {
      throw new FabricException(
          Errno.ENOMEM,
          "no memory for a completion queue of size " + size + ": ask for less, or raise -Xmx",
          none);
    }
    for (int slot = 0; slot < slots; slot++) {
      fields[slot * STRIDE] = slot;
    }
  }

  int size() {
    return size;
  }

  /**
   * Returns the numbers of the queue.
   *
   * @param passed how many completions were delivered without the ring
   */
  QueueStatistics statistics(long passed) {
    // In this order: what is taken has been added before. Others may add and take in between.
    long taken = head.get();
    long added = tail.get();
    long waiting = Math.min(size, added - taken);
    return QueueStatistics.builder().size(size).waiting(waiting).reported(added + passed).build();
  }

  /**
   * Claims room for completions.
   *
   * @param most how many, at least 1
   * @return for how many: fewer if there is no more room, 0 if there is none
   */
  int reserve(int most) {
    while (true) {
      // In this order: what was taken meanwhile makes for more room, and never for less.
      long before = claimed.get();
      int room = (int) Math.min(most, head.get() + size - before);
      if (room <= 0) {
        return 0;
      }
      if (claimed.compareAndSet(before, before + room)) {
        return room;
      }
    }
  }

  boolean hasRoom() {
    return claimed.get() - head.get() < size;
  }

  /** Gives claimed room for completions back unused. */
  void release(int count) {
    claimed.getAndAdd(-count);
  }

  /** Whether no completion can be taken now. */
  boolean isEmpty() {
    long position = head.get();
    return sequence(slot(position)) - (position + 1) < 0;
  }

  /** Adds a success, in claimed room. */
  void add(@Nullable Object context, long flags, long length, long data, long tag, long source) {
    long position = nextFree();
    int slot = slot(position);
    int field = slot * STRIDE;
    contexts[slot] = context;
    fields[field + FLAGS] = flags;
    fields[field + LENGTH] = length;
    fields[field + DATA] = data;
    fields[field + TAG] = tag;
    fields[field + SOURCE] = source;
    SEQUENCE.setRelease(fields, field, position + 1);
  }

  /** Adds a failure, in claimed room. */
  void add(Completion.Failure failure) {
    // Before a slot is taken, which must not stay unfilled if memory runs out.
    Failed failed = new Failed(failure);
    long position = nextFree();
    int slot = slot(position);
    contexts[slot] = failed;
    SEQUENCE.setRelease(fields, slot * STRIDE, position + 1);
  }

  /** Takes the next completion and hands it over; false if there is none. */
  boolean deliver(CompletionHandler handler) {
    long position = claim(Completion.class);
    if (position < 0) {
      return false;
    }
    int slot = slot(position);
    int field = slot * STRIDE;
    Object context = contexts[slot];
    long flags = fields[field + FLAGS];
    long length = fields[field + LENGTH];
    long data = fields[field + DATA];
    long tag = fields[field + TAG];
    long source = fields[field + SOURCE];
    // Before the handler runs, which may throw, post, or read this queue.
    free(position);
    if (context instanceof Failed failed) {
      handler.failed(failed.failure);
    } else {
      handler.completed(context, flags, length, data, tag, source);
    }
    return true;
  }

  /**
   * Takes the next completion if it is of a kind.
   *
   * @param kind successes, failures, or all completions
   * @return null if there is none; also if failures are wanted and the next one is a success
   * @throws FabricException with {@link Errno#EAVAIL} if successes are wanted and the next one is a
   *     failure
   */
  <C extends Completion> @Nullable C take(Class<C> kind) {
    long position = claim(kind);
    if (position == OTHER_KIND && kind == Completion.Success.class) {
      throw new FabricException(
          Errno.EAVAIL, "the next completion is a failure: take it with readError()");
    }
    if (position < 0) {
      return null;
    }
    int slot = slot(position);
    int field = slot * STRIDE;
    Object context = contexts[slot];
    Completion next =
        context instanceof Failed failed
            ? failed.failure
            : Completion.Success.of(context, fields[field + FLAGS])
                .length(fields[field + LENGTH])
                .data(fields[field + DATA])
                .tag(fields[field + TAG])
                .source(fields[field + SOURCE])
                .build();
    free(position);
    return kind.cast(next);
  }

  /** Claims the next completion if it is of a kind; returns its number, or why none was claimed. */
  private long claim(Class<? extends Completion> kind) {
    while (true) {
      long position = head.get();
      int slot = slot(position);
      long ahead = sequence(slot) - (position + 1);
      if (ahead < 0) {
        return EMPTY;
      }
      if (ahead == 0) {
        if (kind != Completion.class
            && contexts[slot] instanceof Failed != (kind == Completion.Failure.class)) {
          // Another thread may have taken it and a third refilled the slot: then look again.
          VarHandle.acquireFence();
          if (head.get() == position) {
            return OTHER_KIND;
          }
        } else if (head.compareAndSet(position, position + 1)) {
          return position;
        }
      }
    }
  }

  private long nextFree() {
    long position = tail.getAndIncrement();
    int slot = slot(position);
    // Claimed room means that some slot is free. This one is, or a reader that claimed it is about
    // to free it: readers finish out of order.
    for (int tries = 0; sequence(slot) != position; tries++) {
      if (tries < 100) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(PAUSE);
      }
    }
    return position;
  }

  private void free(long position) {
    int slot = slot(position);
    contexts[slot] = null;
    SEQUENCE.setRelease(fields, slot * STRIDE, position + slots);
  }

  private long sequence(int slot) {
    return (long) SEQUENCE.getAcquire(fields, slot * STRIDE);
  }

  private int slot(long position) {
    return (int) position & slots - 1;
  }
}
