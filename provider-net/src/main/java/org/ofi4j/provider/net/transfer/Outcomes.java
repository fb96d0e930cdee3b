// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CounterFlag;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.Counters;

/**
 * Reports to one completion queue, if there is one, how operations ended, and counts them. Those
 * for which the queue has no room are kept, in order, until it has: there are never more than can
 * be posted. So nothing holds room of the queue while it is under way, and sends and receives
 * cannot wait for each other's.
 *
 * <p>For one thread at a time.
 *
 * @param <T> which operations
 */
public abstract class Outcomes<T extends Operation> {
  private final Operations<T> kept = new Operations<>();

  // Null if there are only counters.
  private @Nullable CoreCompletionQueue queue;

  // Whether it has not been said where to report: what ends is kept until then.
  private boolean detached = true;
  private boolean selective;
  private Counters counters;

  /**
   * Nothing has ended yet.
   *
   * @param binding where it is reported, or null to be said later
   */
  public Outcomes(@Nullable Binding binding) {
    counters = new Counters();
    if (binding != null) {
      reportTo(binding);
    }
  }

  /** Says where everything is reported from now on. */
  public final void reportTo(Binding binding) {
    queue = binding.queue();
    counters = binding.counters();
    selective = binding.selective();
    detached = false;
    if (queue == null) {
      forgetKept();
    }
  }

  private void forgetKept() {
    for (T operation = kept.poll(); operation != null; operation = kept.poll()) {
      reported(operation);
    }
  }

  /** Reports and counts nothing any more, until it is said where; forgets what was kept. */
  public final void detach() {
    queue = null;
    counters = new Counters();
    selective = false;
    detached = true;
    forgetKept();
  }

  public final Counters counters() {
    return counters;
  }

  /** Whether a queue or counter tells of operations that have succeeded. */
  public final boolean tells(CounterFlag what) {
    return queue != null || counters.has(what);
  }

  /** Whether operations complete silently unless they ask for an entry. */
  public final boolean isSelective() {
    return selective;
  }

  /** As what an operation that has ended is counted, or null if it is not. */
  public abstract @Nullable CounterFlag counted(T operation);

  /** How many bytes an operation has moved that has succeeded. */
  public abstract long moved(T operation);

  /** The operation is about to be reported, or is not reported, and can be used again. */
  public abstract void reported(T operation);

  public void report(T operation) {
    CounterFlag what = counted(operation);
    boolean failed = operation.failure != null;
    if (what != null && failed) {
      counters.failed(what);
    } else if (what != null) {
      counters.succeeded(what, moved(operation));
    }
    CoreCompletionQueue to = queue;
    boolean dropped = to == null ? !detached : operation.silent && !failed;
    if (dropped) {
      reported(operation);
    } else if (to != null && kept.isEmpty() && to.reserve()) {
      tell(to, operation);
    } else {
      kept.add(operation);
    }
    if (what != null) {
      counters.count(what, failed);
    }
  }

  /** Reports what was kept, as far as there is room now. */
  public final void reportKept() {
    CoreCompletionQueue to = queue;
    while (to != null && !kept.isEmpty() && to.reserve()) {
      T operation = kept.poll();
      if (operation != null) {
        tell(to, operation);
      }
    }
  }

  /** Gives an operation back before anybody can know that it has ended, and reports it. */
  private void tell(CoreCompletionQueue to, T operation) {
    Completion.@Nullable Failure failure = operation.failure;
    Object context = operation.context;
    long flags = operation.flags;
    long length = operation.length;
    long data = operation.data;
    long tag = operation.tag;
    long source = operation.source;
    reported(operation);
    if (failure == null) {
      to.complete(context, flags, length, data, tag, source);
    } else {
      to.fail(failure);
    }
  }
}
