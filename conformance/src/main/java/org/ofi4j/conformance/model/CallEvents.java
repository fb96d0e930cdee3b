// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.time.Duration;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricObject;
import org.ofi4j.conformance.harness.EventReader;

/**
 * Reads the events of asynchronous insertions, of which several may be under way: of each call
 * first its failures, then one completion (AV-055, AV-062); among calls in any order (AV-061).
 */
final class CallEvents implements AutoCloseable {
  /** Gives a stuck event queue away, and is never waited for otherwise. */
  private static final Duration DEADLINE = Duration.ofSeconds(50);

  private final EventReader events;
  private final FabricObject vector;
  private final IdentityHashMap<@Nullable Object, Call> calls = new IdentityHashMap<>();

  CallEvents(EventQueue queue, FabricObject vector) {
    events = new EventReader(queue, DEADLINE);
    this.vector = vector;
  }

  /** One call and what is known of it so far. */
  private static final class Call {
    final int[] errors;
    int failures;
    boolean complete;

    Call(int count) {
      errors = new int[count];
    }
  }

  /** Announces a call, before it is made: its events may come at once (AV-063). */
  void expect(@Nullable Object context, int count) {
    calls.put(context, new Call(count));
  }

  /** Forgets a call that was refused. */
  void forget(@Nullable Object context) {
    calls.remove(context);
  }

  /** Waits for the completion of a call and gives the errno of each address. */
  int[] await(@Nullable Object context) {
    Call call = calls.get(context);
    if (call == null) {
      throw new IllegalStateException("nobody announced " + context);
    }
    while (!call.complete) {
      take(events.next());
    }
    calls.remove(context);
    return call.errors;
  }

  @SuppressWarnings("ReferenceEquality") // the very vector, not something like it
  private void take(Event event) {
    Subject.check(event.source() == vector, "an event is about " + event.source());
    Call call = calls.get(event.context());
    if (call == null) {
      throw new AssertionError("an event of a call that is over or never was: " + event);
    }
    Subject.check(!call.complete, "an event after the completion of its call: " + event);
    int count = call.errors.length;
    switch (event) {
      case Event.Failure failure -> {
        int position = Math.toIntExact(failure.index());
        Subject.check(position >= 0 && position < count, "an event about address " + position);
        Subject.check(call.errors[position] == 0, "address " + position + " failed twice");
        call.errors[position] = failure.errno().number();
        call.failures++;
      }
      case Event.InsertionComplete complete -> {
        Subject.check(
            complete.data() == count - call.failures,
            complete + " of " + count + " addresses, " + call.failures + " failed");
        call.complete = true;
      }
      case Event.ConnectionRequest _,
          Event.Connected _,
          Event.Shutdown _,
          Event.PeerLost _,
          Event.PeerReturned _ ->
          throw new AssertionError("an event that no vector has: " + event);
    }
  }

  /** Whether no event is left. */
  boolean isQuiet() {
    return events.queue().peek() == null;
  }

  @Override
  public void close() {
    events.queue().close();
  }
}
