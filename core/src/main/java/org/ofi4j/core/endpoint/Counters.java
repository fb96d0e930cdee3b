// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.ofi4j.CounterFlag;
import org.ofi4j.core.queue.CoreCounter;
import org.ofi4j.core.queue.ProgressEngine;

/**
 * The counters that are bound to an endpoint, by what they count, and what is counted anyway.
 * Counters are bound until the endpoint is opened, and read without a lock from then on.
 */
public final class Counters {
  private final Map<CounterFlag, CoreCounter> bound = new EnumMap<>(CounterFlag.class);

  private final OperationTotals totals = new OperationTotals();

  /** What is counted anyway. */
  public OperationTotals totals() {
    return totals;
  }

  /** Whether some operation among flags of {@link CounterFlag} is counted already. */
  boolean countAnyOf(long flags) {
    return bound.keySet().stream().anyMatch(what -> (flags & what.mask()) != 0);
  }

  public boolean has(CounterFlag what) {
    return bound.containsKey(what);
  }

  void bind(CoreCounter counter, long flags) {
    for (CounterFlag what : CounterFlag.values()) {
      if ((flags & what.mask()) != 0) {
        bound.put(what, counter);
      }
    }
  }

  /** An operation has ended, and its completion is where it belongs. */
  public void count(CounterFlag what, boolean failed) {
    if (!bound.isEmpty()) {
      CoreCounter counter = bound.get(what);
      if (counter != null) {
        counter.count(failed);
      }
    }
  }

  /** So many operations more have ended than was counted before. */
  public void add(CounterFlag what, long successes, long failures) {
    CoreCounter counter = bound.get(what);
    if (counter != null && (successes | failures) != 0) {
      counter.count(successes, failures);
    }
  }

  Stream<ProgressEngine> engines() {
    return bound.values().stream().map(CoreCounter::engine);
  }
}
