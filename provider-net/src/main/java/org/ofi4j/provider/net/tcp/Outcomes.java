package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Completion;
import org.ofi4j.CounterFlag;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Counters;

/**
 * Reports to one completion queue how operations ended, and counts them. Those for which the queue
 * has no room are kept, in order, until it has: there are never more than can be posted. So nothing
 * holds room of the queue while it is under way, and sends and receives cannot wait for each
 * other's.
 *
 * <p>For one thread at a time.
 *
 * @param <T> which operations
 */
abstract class Outcomes<T extends Operation> {
  private final CoreCompletionQueue queue;
  private final boolean selective;
  private final Counters counters;
  private final Operations<T> kept = new Operations<>();

  Outcomes(Binding binding) {
    queue = binding.queue();
    counters = binding.counters();
    selective = binding.selective();
  }

  /** Whether operations complete silently unless they ask for an entry. */
  final boolean isSelective() {
    return selective;
  }

  /** As what an operation that has ended is counted, or null if it is not. */
  abstract @Nullable CounterFlag counted(T operation);

  /** The operation was reported and can be used again. */
  abstract void reported(T operation);

  /** Reports an operation that has ended. */
  void report(T operation) {
    CounterFlag what = counted(operation);
    boolean failed = operation.failure != null;
    if (operation.silent && !failed) {
      reported(operation);
    } else if (kept.isEmpty() && queue.reserve()) {
      tell(operation);
    } else {
      kept.add(operation);
    }
    if (what != null) {
      counters.count(what, failed);
    }
  }

  /** Reports what was kept, as far as there is room now. */
  void reportKept() {
    while (!kept.isEmpty() && queue.reserve()) {
      T operation = kept.poll();
      if (operation != null) {
        tell(operation);
      }
    }
  }

  private void tell(T operation) {
    Completion.@Nullable Failure failure = operation.failure;
    if (failure == null) {
      queue.complete(
          operation.context,
          operation.flags,
          operation.length,
          operation.data,
          operation.tag,
          operation.source);
    } else {
      queue.fail(failure);
    }
    reported(operation);
  }
}
