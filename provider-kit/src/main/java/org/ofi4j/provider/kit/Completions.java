// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.spi.ProgressEngine;

/**
 * The end of every operation of one direction of an endpoint: counts it, and writes its completion
 * to the queue that the endpoint is bound to. If the queue is full the operation is kept, in order,
 * until {@link #reportKept} finds room. No more are kept than can be posted, and no operation holds
 * room in a queue while it is under way, so sends and receives never wait for each other.
 *
 * <p>The lock of the transmitter or receiver guards it.
 */
public final class Completions {
  private final Operations<Operation> kept = new Operations<>();

  // Null if the direction has counters and no queue.
  private @Nullable CoreCompletionQueue queue;
  private boolean selective;
  private Counters counters;

  // Null if waiting threads are woken at once.
  private @Nullable Wakeups wakeups;

  // Without a destination: operations that end are kept until there is one.
  private boolean detached = true;

  /** Completions without a destination: {@link #reportTo} says it later. */
  public Completions() {
    counters = new Counters();
  }

  /**
   * Returns completions that go to a queue, and are counted nowhere else.
   *
   * @param queue a queue of a domain that the kit has opened
   * @param selective whether successes are reported only of operations that ask for it
   * @return the completions, of a direction that has no counters
   */
  public static Completions to(CompletionQueue queue, boolean selective) {
    return new Completions((CoreCompletionQueue) queue, selective, new Counters());
  }

  Completions(@Nullable CoreCompletionQueue queue, boolean selective, Counters counters) {
    this.queue = queue;
    this.selective = selective;
    this.counters = counters;
    detached = false;
  }

  /**
   * Leaves waking threads to the owner of a lock, from now on. Without this call, threads are woken
   * when a completion is reported.
   *
   * @param later wakes threads after the lock was released under which completions are reported
   */
  public void wakeThrough(Wakeups later) {
    wakeups = later;
  }

  /**
   * Reports where other completions report from now on.
   *
   * @param other completions with a destination
   */
  public void reportTo(Completions other) {
    queue = other.queue;
    selective = other.selective;
    counters = other.counters;
    detached = false;
    if (queue == null) {
      forgetKept();
    }
  }

  /** Reports and counts nothing until {@link #reportTo}; forgets what was kept. */
  public void detach() {
    queue = null;
    selective = false;
    counters = new Counters();
    detached = true;
    forgetKept();
  }

  private void forgetKept() {
    for (Operation each = kept.poll(); each != null; each = kept.poll()) {
      each.reported();
    }
  }

  /**
   * Returns the numbers of the endpoint and the counters that are bound to it.
   *
   * @return the counters
   */
  public Counters counters() {
    return counters;
  }

  /**
   * Whether successes are reported only of operations that ask for it.
   *
   * @return true if the queue reports selectively
   */
  public boolean isSelective() {
    return selective;
  }

  /**
   * Whether the application hears of an operation of this kind that succeeds.
   *
   * @param what the kind of the operation
   * @return true if there is a queue, or a counter of this kind
   */
  public boolean tells(CounterFlag what) {
    return queue != null || counters.has(what);
  }

  /**
   * Returns whether the success of an operation is not reported to the queue.
   *
   * @param operation the operation, whose request is filled in
   * @return true if only its failure is reported
   */
  public boolean isSilent(Operation operation) {
    return operation.silent || (selective && !operation.asked);
  }

  /**
   * The engines that move the data behind the queue and the counters.
   *
   * @return the engines, which may contain one several times
   */
  public Stream<ProgressEngine> engines() {
    return Stream.concat(
        Stream.ofNullable(queue).map(CoreCompletionQueue::engine), counters.engines());
  }

  /**
   * The engine that moves the data behind the queue; null if there is no queue.
   *
   * @return the engine, or null
   */
  public @Nullable ProgressEngine queueEngine() {
    return queue == null ? null : queue.engine();
  }

  /**
   * Whether a completion would go to the queue at once.
   *
   * @return true if the queue has space and no completion is kept
   */
  public boolean hasRoom() {
    return kept.isEmpty() && (queue == null || queue.hasRoom());
  }

  /**
   * Returns whether completions are kept, because the queue was full when their operations ended.
   *
   * @return true until {@link #reportKept} has found space for all
   */
  public boolean hasKept() {
    return !kept.isEmpty();
  }

  /**
   * Reports an operation that has ended, and wakes threads that wait for it, at once or {@linkplain
   * #wakeThrough later}.
   *
   * @param operation has ended as its {@link Operation#failure} says, or well if that is null
   */
  public void report(Operation operation) {
    CounterFlag what = operation.counted();
    boolean failed = operation.failure != null;
    Counters.Kind kind = what == null ? null : counters.kind(what);
    if (kind != null && failed) {
      kind.failed();
    } else if (kind != null) {
      kind.succeeded(operation.moved());
    }
    CoreCompletionQueue to = queue;
    boolean dropped = to == null ? !detached : isSilent(operation) && !failed;
    if (dropped) {
      operation.reported();
    } else if (to != null && kept.isEmpty() && to.reserve()) {
      tell(to, operation);
    } else {
      kept.add(operation);
    }
    if (kind != null) {
      kind.count(failed);
    }
  }

  /**
   * Reports the failure of an operation.
   *
   * @param operation the operation
   * @param errno the kind of error
   * @param reason the error in words
   */
  public void fail(Operation operation, Errno errno, String reason) {
    operation.fail(errno, reason);
    report(operation);
  }

  /** Reports what was kept, as far as there is room now, and wakes threads that wait for it. */
  public void reportKept() {
    CoreCompletionQueue to = queue;
    while (to != null && !kept.isEmpty() && to.reserve()) {
      tell(to, Objects.requireNonNull(kept.poll()));
    }
  }

  /** Makes an operation idle before anyone can know that it has ended, and then reports it. */
  private void tell(CoreCompletionQueue to, Operation operation) {
    Completion.@Nullable Failure failure = operation.failure;
    Object context = operation.context;
    long flags = operation.completionFlags;
    long length = operation.length;
    long data = operation.receivedData;
    long tag = operation.receivedTag;
    long source = operation.source;
    operation.reported();
    boolean shared =
        failure == null ? to.add(context, flags, length, data, tag, source) : to.add(failure);
    Wakeups later = wakeups;
    if (shared && later != null) {
      later.add(to);
    } else if (shared) {
      to.wakeReaders();
    }
  }
}
