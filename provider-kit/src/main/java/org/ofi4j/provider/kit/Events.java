// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.spi.ProgressEngine;

/** The event queue of an application, as a transport reports to it. Any thread may call. */
public final class Events {
  private final CoreEventQueue queue;

  Events(CoreEventQueue queue) {
    this.queue = queue;
  }

  /**
   * Returns an event queue as transports report to it.
   *
   * @param queue any event queue
   * @return null if the queue is of a fabric that the kit has not opened
   */
  public static @Nullable Events to(EventQueue queue) {
    return queue instanceof CoreEventQueue own ? new Events(own) : null;
  }

  /**
   * Adds an event behind all others.
   *
   * @param event the event
   * @return false if the queue is full: the event is lost, and the queue says so to its readers
   */
  public boolean post(Event event) {
    return queue.post(event);
  }

  /**
   * Adds an event behind all others if there is room.
   *
   * @param event the event
   * @return false if the queue is full: the event is to be offered again
   */
  public boolean offer(Event event) {
    return queue.offer(event);
  }

  /**
   * Has the readers of the queue run an engine from now on. There is one, however often this is
   * called; the queue closes it.
   *
   * @param made makes the engine if there is none yet
   * @return the engine of the queue
   */
  public ProgressEngine drive(Supplier<? extends ProgressEngine> made) {
    return queue.drive(made);
  }

  @Override
  public String toString() {
    return queue.toString();
  }
}
