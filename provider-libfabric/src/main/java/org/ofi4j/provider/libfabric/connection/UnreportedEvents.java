// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.ofi4j.Event;
import org.ofi4j.core.queue.CoreEventQueue;

/** Events on their way to a queue of ours, in which they may find no room. */
final class UnreportedEvents {
  /** When to offer again what found no room. */
  static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

  private final CoreEventQueue events;
  private final Deque<Event> waiting = new ArrayDeque<>();

  UnreportedEvents(CoreEventQueue events) {
    this.events = events;
  }

  void add(Event event) {
    waiting.add(event);
  }

  /** Reports them in their order; whether none is left. */
  boolean report() {
    while (!waiting.isEmpty() && events.offer(waiting.getFirst())) {
      waiting.removeFirst();
    }
    return waiting.isEmpty();
  }

  void drop(Predicate<Event> dropped) {
    waiting.removeIf(dropped);
  }
}
