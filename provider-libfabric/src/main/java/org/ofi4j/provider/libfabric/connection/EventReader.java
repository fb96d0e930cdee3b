// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.library.NativeObject;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * Reads one of libfabric's event queues, and tells those whom its events are about. There is one
 * for the endpoints of a domain and one for each passive endpoint, each on a fabric of libfabric's
 * of its own: reading an event queue moves everything on its fabric, without the locks that are
 * left to who calls.
 *
 * <p>The lock guards all.
 */
public final class EventReader extends QueueReader<NativeEventQueue> {
  /** How many events are read at a time. */
  private static final int BATCH = 64;

  /** How often so many are read until there are none: peers may cause others meanwhile. */
  private static final int BATCHES = 64;

  /** Between reads that are not asked for by a call, in nanoseconds. */
  private static final long PAUSE = 20_000;

  /** Nobody is to be attended to. */
  private static final long NEVER = Long.MAX_VALUE;

  private final Map<Long, EventTarget> targets = new HashMap<>();
  private final Set<EventTarget> attended = new LinkedHashSet<>();

  /** When it is read again at the earliest, by {@link System#nanoTime}. */
  private volatile long due = System.nanoTime();

  /** Whether somebody is to be attended to, at {@link #next}. */
  private volatile boolean hasNext;

  /** By {@link System#nanoTime}. */
  private volatile long next;

  /** Opens an event queue of libfabric's; with the lock held, if others know of the fabric. */
  public EventReader(LockedFabric locked) {
    super(locked, NativeEventQueue.open(locked.fabric()));
  }

  /** Has an object of libfabric's report its events here. */
  public void bind(NativeObject object) {
    object.bind(queue, 0);
  }

  /**
   * From now on somebody hears of what happens to an object of libfabric's, which was just opened:
   * what there is already is of a closed one that was at its address.
   */
  public void add(NativeObject object, EventTarget target) {
    drain();
    targets.put(object.address(), target);
  }

  /** An object was closed: nobody hears of it any more. */
  public void remove(NativeObject object, EventTarget target) {
    targets.remove(object.address(), target);
    attended.remove(target);
  }

  /** Reads until there is nothing. */
  void drain() {
    int batches = 0;
    while (batches < BATCHES && readAll() == BATCH) {
      batches++;
    }
  }

  /** Has somebody do what is due at the next look, and from then on as it says. */
  public void attend(EventTarget target) {
    attended.add(target);
    next = System.nanoTime();
    hasNext = true;
  }

  /** Not as often as the queues of completions are read, which is much more than needed. */
  @Override
  public boolean move() {
    return System.nanoTime() - due >= 0 && moveNow();
  }

  /** Moves however long ago that was. */
  public boolean moveNow() {
    return super.move();
  }

  @Override
  protected boolean read() {
    due = System.nanoTime() + PAUSE;
    boolean moved = readAll() > 0;
    if (hasNext) {
      attendAll();
    }
    return moved;
  }

  /** Reads a batch at most; how many events there were. */
  private int readAll() {
    int count = 0;
    while (count < BATCH) {
      NativeEventQueue.Event event = queue.read();
      if (event == null) {
        break;
      }
      count++;
      EventTarget target = targets.get(event.object());
      if (target != null) {
        attend(target);
        target.happened(event);
      } else if (event.info() != null) {
        event.info().close();
      }
    }
    return count;
  }

  private void attendAll() {
    long now = System.nanoTime();
    if (next - now > 0) {
      return;
    }
    long soonest = NEVER;
    Deque<EventTarget> all = new ArrayDeque<>(attended);
    attended.clear();
    hasNext = false;
    try {
      while (!all.isEmpty()) {
        EventTarget each = all.getFirst();
        long again = each.attend(now);
        all.removeFirst();
        if (again != NO_LIMIT) {
          attended.add(each);
          soonest = Math.min(soonest, again);
        }
      }
    } finally {
      // Those that are left where one has failed, and that one.
      all.forEach(this::attend);
    }
    long at = now + Math.min(soonest, NEVER / 2);
    // Unless somebody is to be attended to before that, which has turned out on the way.
    if (!hasNext || at - next < 0) {
      next = at;
    }
    hasNext = !attended.isEmpty();
  }

  @Override
  public long patience() {
    return hasNext ? Math.max(1, next - System.nanoTime()) : NO_LIMIT;
  }

  @Override
  protected boolean isWaitable() {
    return queue.descriptor() >= 0;
  }

  @Override
  public boolean hasRoom() {
    // The targets keep the events that find no space.
    return true;
  }

  @Override
  protected void closed() {
    // The queue has the memory that events are read to.
  }
}
