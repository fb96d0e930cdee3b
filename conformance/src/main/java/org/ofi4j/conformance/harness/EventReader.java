// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;

/**
 * Reads an event queue as a C program would, failures through the error side.
 *
 * @param patience how long to wait for an event that has to come
 */
public record EventReader(EventQueue queue, Duration patience) {
  /** The next event; fails the test if none comes. */
  public Event next() {
    Event event = next(patience);
    if (event == null) {
      throw new AssertionError("no event came within " + patience);
    }
    return event;
  }

  /** The next event, or null if none comes in time. */
  public @Nullable Event next(Duration timeout) {
    try {
      return queue.read(timeout);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for an event", interrupted);
    } catch (FabricException refused) {
      if (refused.errno() != Errno.EAVAIL) {
        throw refused;
      }
      Event.Failure failure = queue.readError();
      if (failure == null) {
        throw new AssertionError("read said that a failure waits, but readError has none", refused);
      }
      return failure;
    }
  }

  /** Whether a failure is the next event; it stays there. */
  public boolean isFailureNext() {
    try {
      queue.peek();
      return false;
    } catch (FabricException pending) {
      return pending.errno() == Errno.EAVAIL;
    }
  }

  /** As many events, in their order. */
  public List<Event> next(int count) {
    List<Event> events = new ArrayList<>();
    while (events.size() < count) {
      events.add(next());
    }
    return events;
  }

  /** All events up to and including the next completion. */
  public List<Event> untilCompletion() {
    List<Event> events = new ArrayList<>();
    do {
      events.add(next());
    } while (!(events.getLast() instanceof Event.InsertionComplete));
    return events;
  }

  /** Fails the test if an event comes within 100 ms. */
  public void expectSilence() {
    Event event = next(Duration.ofMillis(100));
    if (event != null) {
      throw new AssertionError("expected no event, but got " + event);
    }
  }
}
