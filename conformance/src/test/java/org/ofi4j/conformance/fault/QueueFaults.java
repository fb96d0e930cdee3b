// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.conformance.standin.ForwardingEventQueue;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;

/** Mistakes in what an event queue delivers, and when. */
final class QueueFaults {
  private QueueFaults() {}

  static List<PlantedFault> all() {
    return List.of(
        of("AV-062", "completions overtake the errors of their call", Overtaking::new),
        of("AV-059", "failed addresses are counted from one", CountingFromOne::new),
        of("AV-059", "positions from 64 on begin again", cutting(64)),
        of("AV-059", "positions from 1,024 on begin again", cutting(1024)),
        of("AV-062", "a call that inserts nothing completes in silence", SilentZero::new),
        of("AV-056", "events forget the context of their call", Forgetful::new),
        of("AV-068", "events of a closed vector are thrown away", DropsClosed::new),
        of("AV-071", "a bound queue can be closed", ClosesAnyway::new),
        of("AV-219", "looking at an event takes it", PeekTakes::new),
        of("AV-219", "failures are delivered like any event", NoErrorSide::new));
  }

  /** Hoards, but makes no mistake: what the others are built on has to be sound itself. */
  static Wrapping hoardingInOrder() {
    return wrapping(Hoarding::new);
  }

  private static PlantedFault of(
      String rule, String mistake, BiFunction<EventQueue, StandIns, EventQueue> faulty) {
    return new PlantedFault(rule, mistake, wrapping(faulty));
  }

  private static Wrapping wrapping(BiFunction<EventQueue, StandIns, EventQueue> queues) {
    return new Wrapping() {
      @Override
      public EventQueue eventQueue(EventQueue real, StandIns standIns) {
        return queues.apply(real, standIns);
      }
    };
  }

  /** Takes events out of the real queue before anybody asks for them, to be able to choose. */
  private static class Hoarding extends ForwardingEventQueue {
    private final Deque<Event> hoard = new ArrayDeque<>();

    Hoarding(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    /** What is delivered next, failures included; takes it if asked to. */
    Event choose(Deque<Event> hoard, boolean take) {
      return take ? hoard.poll() : hoard.peek();
    }

    private synchronized Event choose(boolean take) {
      if (isOpen()) {
        super.poll(hoard::add, Integer.MAX_VALUE);
      }
      return choose(hoard, take);
    }

    @Override
    public Event read() {
      return success(choose(false)) == null ? null : choose(true);
    }

    private static Event success(Event next) {
      if (next instanceof Event.Failure) {
        throw new FabricException(Errno.EAVAIL, "a failure waits, take it with readError");
      }
      return next;
    }

    @Override
    public Event read(Duration timeout) throws InterruptedException {
      long start = System.nanoTime();
      while (true) {
        Event event = read();
        boolean isLate = !timeout.isNegative() && System.nanoTime() - start >= timeout.toNanos();
        if (event != null || isLate || !isOpen()) {
          return event;
        }
        Thread.sleep(1);
      }
    }

    @Override
    public Event peek() {
      return success(choose(false));
    }

    @Override
    public int poll(Consumer<? super Event> handler, int limit) {
      int delivered = 0;
      while (delivered < limit && choose(false) != null) {
        handler.accept(choose(true));
        delivered++;
      }
      return delivered;
    }

    @Override
    public Event.Failure readError() {
      return choose(false) instanceof Event.Failure ? (Event.Failure) choose(true) : null;
    }
  }

  private static final class Overtaking extends Hoarding {
    Overtaking(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    Event choose(Deque<Event> hoard, boolean take) {
      Event first =
          hoard.stream()
              .filter(Event.InsertionComplete.class::isInstance)
              .findFirst()
              .orElseGet(hoard::peek);
      if (take) {
        hoard.remove(first);
      }
      return first;
    }
  }

  private static final class DropsClosed extends Hoarding {
    DropsClosed(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    Event choose(Deque<Event> hoard, boolean take) {
      hoard.removeIf(event -> !event.source().isOpen());
      return take ? hoard.poll() : hoard.peek();
    }
  }

  private static final class SilentZero extends Hoarding {
    SilentZero(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    Event choose(Deque<Event> hoard, boolean take) {
      hoard.removeIf(event -> event instanceof Event.InsertionComplete && event.data() == 0);
      return take ? hoard.poll() : hoard.peek();
    }
  }

  private static final class Forgetful extends ForwardingEventQueue {
    Forgetful(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Event read(Duration timeout) throws InterruptedException {
      Event event = super.read(timeout);
      return event instanceof Event.InsertionComplete complete
          ? Event.InsertionComplete.of(complete.source(), null, complete.data())
          : event;
    }
  }

  /** Reports other positions than those of the addresses that failed. */
  private abstract static class Misplacing extends ForwardingEventQueue {
    Misplacing(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    abstract long position(long right);

    @Override
    public Event.Failure readError() {
      Event.Failure failure = super.readError();
      return failure == null ? null : failure.toBuilder().data(position(failure.data())).build();
    }
  }

  private static final class CountingFromOne extends Misplacing {
    CountingFromOne(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    long position(long right) {
      return right + 1;
    }
  }

  private static BiFunction<EventQueue, StandIns, EventQueue> cutting(int length) {
    return (real, standIns) -> new ShortPositions(real, standIns, length);
  }

  private static final class ShortPositions extends Misplacing {
    private final int length;

    ShortPositions(EventQueue real, StandIns standIns, int length) {
      super(real, standIns);
      this.length = length;
    }

    @Override
    long position(long right) {
      return right % length;
    }
  }

  private static final class ClosesAnyway extends ForwardingEventQueue {
    ClosesAnyway(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public void close() {
      try {
        super.close();
      } catch (FabricException ignored) {
        // As if no vector was bound.
      }
    }
  }

  private static final class PeekTakes extends ForwardingEventQueue {
    PeekTakes(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Event peek() {
      return read();
    }
  }

  private static final class NoErrorSide extends ForwardingEventQueue {
    NoErrorSide(EventQueue real, StandIns standIns) {
      super(real, standIns);
    }

    @Override
    public Event read() {
      Event.Failure failure = super.readError();
      return failure == null ? super.read() : failure;
    }
  }
}
