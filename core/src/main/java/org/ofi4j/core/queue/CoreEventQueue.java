// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.QueueStatistics;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.spi.ProgressEngine;

/**
 * The event queue of every provider: in the order of {@link #post}, with a mark where events were
 * lost as it was full. Completions are not lost ({@link #postInAnyCase}).
 *
 * <p>Any number of threads may post and read. What a thread wrote before it posted an event is
 * visible to the thread that reads the event (AV-081): both go through one lock.
 *
 * <p>With manual progress readers also {@linkplain #drive move} what is bound to the queue; then
 * one of those that wait sleeps in the engine, and the others stand in line.
 */
public final class CoreEventQueue extends AwaitedObject implements EventQueue {
  /** Stands in the queue where events were lost; found by readers when they get there. */
  private static final class Loss {
    private long events = 1;
  }

  private final Fabric fabric;
  private final int capacity;

  // Events and losses; losses take no room, and no two stand side by side. A linked one: an array
  // that cannot grow, because memory ran out, would lose what is in it.
  private final Deque<Object> queue = new ConcurrentLinkedDeque<>();
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong reported = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final ReadyCallback callback = new ReadyCallback();

  // Written once, under the monitor of the line; readers look at it without, and find it at their
  // next look.
  private volatile @Nullable ProgressEngine engine;

  /**
   * Opens a queue.
   *
   * @param fabricLifetime keeps the fabric open as long as the queue is
   */
  public CoreEventQueue(Fabric fabric, Lifetime fabricLifetime, EventQueueOptions options) {
    super(fabricLifetime, options.context());
    this.fabric = fabric;
    this.capacity = options.size() == 0 ? EventQueueOptions.DEFAULT_SIZE : options.size();
  }

  /**
   * Has the readers of this queue run an engine from now on. There is one, however often this is
   * called.
   *
   * @param made makes the engine if there is none yet
   */
  public ProgressEngine drive(Supplier<? extends ProgressEngine> made) {
    ProgressEngine present;
    synchronized (line) {
      lifetime.checkOpen();
      present = engine;
      if (present == null) {
        present = made.get();
        engine = present;
        // Those who wait do not know that one of them must sleep elsewhere.
        line.notifyAll();
      }
    }
    // Nobody would tell it any more: it hears so when it asks again.
    callback.tell();
    return present;
  }

  /**
   * Adds an event behind all others if there is room, and otherwise leaves it with the caller.
   *
   * @return false if the queue is full, and the event is to be offered again
   */
  public boolean offer(Event event) {
    return offer(event, capacity);
  }

  /** Adds an event behind all others; false if it is lost, as the queue is full or closed. */
  public boolean post(Event event) {
    synchronized (line) {
      if (loseIfFull()) {
        return false;
      }
      add(event);
    }
    callback.tell();
    return true;
  }

  /**
   * Adds an event behind all others even if the queue is full: one that has to come (AV-055), and
   * of which there is one for each call of the application.
   */
  public void postInAnyCase(Event event) {
    offer(event, Long.MAX_VALUE);
  }

  /** Adds an event if there are fewer than {@code bound}; a closed queue drops it. */
  private boolean offer(Event event, long bound) {
    synchronized (line) {
      if (lifetime.isOpen()) {
        if (events.get() >= bound) {
          return false;
        }
        add(event);
      }
    }
    callback.tell();
    return true;
  }

  private void add(Event event) {
    queue.addLast(event);
    events.incrementAndGet();
    reported.incrementAndGet();
    line.notifyAll();
    wake();
  }

  /**
   * Counts an event as lost if there is no room for it, which spares who has many the work of
   * making them.
   *
   * @return whether it is lost; if not, {@link #post} it
   */
  public boolean loseIfFull() {
    synchronized (line) {
      if (!lifetime.isOpen()) {
        return true;
      }
      if (events.get() < capacity) {
        return false;
      }
      lost.incrementAndGet();
      if (queue.peekLast() instanceof Loss loss) {
        loss.events++;
      } else {
        queue.addLast(new Loss());
      }
      return true;
    }
  }

  @Override
  @Nullable ProgressEngine engine() {
    return engine;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public QueueStatistics statistics() {
    lifetime.checkOpen();
    return QueueStatistics.builder()
        .size(capacity)
        .waiting(events.get())
        .reported(reported.get())
        .lost(lost.get())
        .build();
  }

  @Override
  public int poll(Consumer<? super Event> handler, int limit) {
    required(handler, "handler");
    if (limit < 1) {
      throw invalid("limit " + limit + " delivers no event: it must be at least 1");
    }
    lifetime.checkOpen();
    progress();
    int delivered = 0;
    while (delivered < limit) {
      Event event;
      synchronized (line) {
        lifetime.checkOpen();
        // A loss is reported by a call of its own, so that no delivered event goes unnoticed.
        event = delivered > 0 && queue.peekFirst() instanceof Loss ? null : take();
      }
      if (event == null) {
        break;
      }
      delivered++;
      handler.accept(event);
    }
    return delivered;
  }

  @Override
  public @Nullable Event read() {
    return next(true);
  }

  @Override
  public @Nullable Event peek() {
    return next(false);
  }

  private @Nullable Event next(boolean take) {
    lifetime.checkOpen();
    progress();
    synchronized (line) {
      lifetime.checkOpen();
      refuseFailure();
      return take ? take() : event(queue.peekFirst());
    }
  }

  @Override
  public @Nullable Event read(Duration timeout) throws InterruptedException {
    long deadline = Waiting.deadlineIfAny(timeout);
    lifetime.checkOpen();
    do {
      progress();
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      synchronized (line) {
        if (isOpen() && !queue.isEmpty()) {
          refuseFailure();
          return take();
        }
      }
    } while (waitUntil(deadline, queue::isEmpty));
    return null;
  }

  /** Moves what is bound to the queue, unless there are events to be read first. */
  private void progress() {
    ProgressEngine present = engine;
    if (present != null && queue.isEmpty()) {
      present.progress();
    }
  }

  @Override
  public void whenReady(Runnable wanted) {
    required(wanted, "callback");
    synchronized (line) {
      lifetime.checkOpen();
      if (engine != null) {
        throw unsupported(
            this
                + " moves what is bound to it, with manual progress, and nothing happens but by"
                + " reading: ask for progress AUTO");
      }
      callback.want(wanted);
    }
    if (!queue.isEmpty()) {
      callback.tell();
    }
  }

  @Override
  public Event.@Nullable Failure readError() {
    synchronized (line) {
      lifetime.checkOpen();
      return queue.peekFirst() instanceof Event.Failure ? (Event.Failure) take() : null;
    }
  }

  /** Takes the head; a loss there is thrown, once. */
  private @Nullable Event take() {
    Event event = event(queue.pollFirst());
    if (event != null) {
      events.decrementAndGet();
    }
    return event;
  }

  /** Returns the event at the head, null if the queue is empty; throws if the head is a loss. */
  private @Nullable Event event(@Nullable Object head) {
    if (head instanceof Loss loss) {
      throw new FabricException(
          Errno.EOVERRUN,
          "%s event%s lost here because %s was full: read faster, or open it with a larger size"
              .formatted(loss.events, loss.events == 1 ? " was" : "s were", this));
    }
    return (Event) head;
  }

  private void refuseFailure() {
    if (queue.peekFirst() instanceof Event.Failure failure) {
      throw new FabricException(
          Errno.EAVAIL, "the next event is a failure, to be taken with readError(): " + failure);
    }
  }

  @Override
  protected void release() {
    synchronized (line) {
      queue.clear();
      callback.drop();
      events.set(0);
    }
    super.release();
  }

  @Override
  public String toString() {
    return "event queue (" + capacity + " entries)";
  }
}
