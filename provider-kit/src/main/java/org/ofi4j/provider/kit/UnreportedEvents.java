// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Predicate;
import org.ofi4j.Event;

/**
 * Events on their way to the event queue of an application, in which they may find no space. They
 * keep their order, and are offered again until the queue takes them. For one thread at a time.
 */
public final class UnreportedEvents {
  private final Events events;
  private final Deque<Event> waiting = new ArrayDeque<>();

  /**
   * Creates an empty list.
   *
   * @param events takes the events
   */
  public UnreportedEvents(Events events) {
    this.events = events;
  }

  /**
   * Adds an event behind all others; {@link #report} offers it.
   *
   * @param event the event
   */
  public void add(Event event) {
    waiting.add(event);
  }

  /**
   * Offers the events in their order, until the queue is full.
   *
   * @return whether the queue has taken all of them
   */
  public boolean report() {
    while (!waiting.isEmpty() && events.offer(waiting.getFirst())) {
      waiting.removeFirst();
    }
    return waiting.isEmpty();
  }

  /**
   * Removes events that the queue has not taken.
   *
   * @param dropped returns true for the events to remove
   */
  public void drop(Predicate<? super Event> dropped) {
    waiting.removeIf(dropped);
  }

  /**
   * Returns whether the queue has taken all events.
   *
   * @return true if none waits
   */
  public boolean isEmpty() {
    return waiting.isEmpty();
  }

  @Override
  public String toString() {
    return waiting.size() + " events for " + events;
  }
}
