// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricException;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.source.AddressSource;

/**
 * The insertions under way on an asynchronous vector.
 *
 * <p>Indices are reserved when the call is made, under the vector's lock, so they follow the order
 * of calls (AV-086). Each insertion has a thread of its own and ends when it can, whatever the
 * others wait for (AV-061); of equal addresses that which is settled first keeps its entry (D-66).
 */
final class AsynchronousInsertions {
  // So many addresses under the lock at once: others get in between, events are queued outside.
  private static final int SLICE = 1024;

  private static final int ATTEMPTS = 1000;

  // A change that failed is repaired by the next one; if that fails as well, there is no use in it.
  private static final int MOST_CHANGES = 3;

  private static final long A_MOMENT = 1_000_000;

  static final ThreadFactory VIRTUAL_THREADS =
      work -> Thread.ofVirtual().name("ofi4j-insert").unstarted(work);

  /**
   * The arguments of an insertion. Nothing in it belongs to the caller any more, but for the array
   * that takes handles (AV-081).
   *
   * @param input a user id or the handle of a key for each, copied when the call was made
   * @param handles takes the handles, usable from any thread
   * @param outcome takes the outcome in the form with values
   * @param flags bits of {@link org.ofi4j.InsertFlag}
   */
  record Request(
      AddressSource source,
      @Nullable MemorySegment input,
      @Nullable MemorySegment handles,
      @Nullable CoreInsertion outcome,
      long flags,
      @Nullable Object context) {}

  private final CoreAddressVector vector;
  private final EntryWriter writer;
  private final ThreadFactory threads;

  /** Signals that an insertion has ended. */
  private final Condition ended;

  // Guarded by the lock.
  private final Set<Underway> pending = new LinkedHashSet<>();

  private volatile @Nullable CoreEventQueue queue;

  AsynchronousInsertions(CoreAddressVector vector, EntryWriter writer, ThreadFactory threads) {
    this.vector = vector;
    this.writer = writer;
    this.threads = threads;
    this.ended = vector.newCondition();
  }

  /** Names the queue of all events, once (AV-071). */
  void bind(CoreEventQueue eventQueue) {
    try (Held _ = vector.lock()) {
      if (queue != null) {
        throw invalid(vector + " is bound to " + queue + " already, and binds one only");
      }
      vector.lifetime().hold(eventQueue.lifetime());
      queue = eventQueue;
    }
  }

  /** The queue of all events; refuses insertions as long as there is none (AV-060). */
  CoreEventQueue queue() {
    CoreEventQueue bound = queue;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOEQ, vector + " reports to an event queue: bind one before inserting");
    }
    return bound;
  }

  /**
   * Starts an insertion.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if that cannot be; then nothing has changed
   */
  void start(Request request) {
    Underway insertion = new Underway(request);
    Thread thread = threads.newThread(insertion);
    try (Held _ = vector.begin()) {
      // Reserves an index for each address.
      insertion.keys = writer.reserve(insertion.outcomes, request.input, request.flags);
      pending.add(insertion);
    }
    try {
      thread.start();
    } catch (OutOfMemoryError | RejectedExecutionException refused) {
      try {
        insertion.withdraw();
      } finally {
        forget(insertion);
      }
      throw new FabricException(
          Errno.ENOMEM, "no thread could be started for the insertion; nothing was begun", refused);
    }
  }

  private void forget(Underway insertion) {
    try (Held _ = vector.lockAnyway()) {
      pending.remove(insertion);
      ended.signalAll();
    }
  }

  /**
   * Gives up all names that are being resolved; returns when all insertions have ended and the last
   * of their events is queued (D-29).
   */
  void abort() {
    try (Held _ = vector.lockAnyway()) {
      pending.forEach(Underway::giveUpNames);
      while (!pending.isEmpty()) {
        ended.awaitUninterruptibly();
      }
    }
  }

  /**
   * One insertion under way. Runs in a thread of its own: prepares its addresses, ends its
   * reservations, and queues one event for each failed address and then the completion (AV-054,
   * AV-055, AV-062).
   *
   * <p>Whatever goes wrong, running out of memory included, becomes the errno of the address that
   * was next; those behind it are not tried (AV-065), and all reservations are given back.
   */
  private final class Underway implements Runnable {
    private final Request request;

    /** The reserved indices, or why there is none; later the outcomes. */
    private final int[] outcomes;

    private volatile boolean closing;

    // The thread that resolves names, while it does; guarded by this object.
    private @Nullable Thread resolving;

    private @Nullable HeldAuthKeys keys;

    private int inserted;

    // The outcome of the next address if it is not to be tried, else 0.
    private int next;

    /** An insertion that has begun nothing yet. */
    Underway(Request request) {
      this.request = request;
      int count = request.source.count();
      try {
        this.outcomes = new int[count];
      } catch (OutOfMemoryError tooMany) {
        throw new FabricException(
            Errno.ENOMEM, count + " addresses are too many for one insertion here", tooMany);
      }
    }

    /** Ends it without a trace, instead of running it. */
    void withdraw() {
      try (HeldAuthKeys _ = keys;
          Held _ = vector.begin(true)) {
        for (int i = 0; i < outcomes.length; i++) {
          outcomes[i] = writer.cancel(outcomes[i], EntryWriter.NOT_TRIED);
        }
      }
    }

    /**
     * Makes it end soon, as the vector is closing: if its names are not resolved yet, its addresses
     * fail (AV-065). Those that need no resolution are finished.
     */
    synchronized void giveUpNames() {
      closing = true;
      if (resolving != null) {
        resolving.interrupt();
      }
    }

    @Override
    public void run() {
      try {
        insertAll();
      } finally {
        forget(this);
      }
    }

    private void insertAll() {
      VectorEvents.Insertion event = vector.events.insertion();
      try {
        prepare();
        for (int from = 0; from < outcomes.length; from += SLICE) {
          int to = Math.min(from + SLICE, outcomes.length);
          settle(from, to);
          report(from, to);
          vector.giveWay();
        }
      } finally {
        // Counted before the end is announced: a caller that knows of it may remove the keys.
        try (HeldAuthKeys _ = keys;
            Held _ = vector.lockAnyway()) {
          vector.count(inserted, outcomes.length);
        }
        if (request.outcome != null) {
          request.outcome.complete(vector.store.shortage());
        }
        if (event != null) {
          event.end(true, outcomes.length, inserted);
        }
        withMemory(() ->
            queue().postInAnyCase(Event.InsertionComplete.of(vector, request.context, inserted)));
      }
    }

    /** Does what takes long. */
    private void prepare() {
      resolving(Thread.currentThread());
      try {
        request.source.prepare();
      } catch (InterruptedException givenUp) {
        next = EntryWriter.NOT_TRIED;
      } catch (Throwable failed) { // OutOfMemoryError too, of which threads that cannot start
        next = outcome(failed);
      } finally {
        resolving(null);
        Thread.interrupted(); // which was for names alone
      }
    }

    /** Says which thread is to be interrupted if the vector closes. */
    private synchronized void resolving(@Nullable Thread thread) {
      resolving = thread;
      if (thread != null && closing) {
        thread.interrupt();
      }
    }

    /**
     * Takes the lock for changes. As no caller waits for this insertion, other processes are given
     * all the time they take, unless the vector is closing.
     *
     * @return false if no address can be inserted any more
     */
    private boolean begin() {
      while (true) {
        try {
          vector.begin(true);
          return true;
        } catch (FabricException refused) {
          if (closing || refused.errno() != Errno.EAGAIN) {
            next = next == 0 ? outcome(refused) : next;
            return false;
          }
          vector.giveWay();
        }
      }
    }

    /** Turns reservations into outcomes, whatever happens. */
    private void settle(int from, int to) {
      int settled = from;
      for (int change = 0; change < MOST_CHANGES && settled < to && begin(); change++) {
        try {
          settled = settleLocked(settled, to);
        } finally {
          end();
        }
      }
      // These reservations stay until another process cleans up after this one.
      for (int i = settled; i < to; i++) {
        outcomes[i] = outcomes[i] < 0 ? outcomes[i] : next;
        next = EntryWriter.NOT_TRIED;
      }
    }

    /**
     * Turns reservations into outcomes, as far as the store lets it.
     *
     * @return the first position without an outcome, which is to get {@code next}; else {@code to}
     */
    private int settleLocked(int from, int to) {
      for (int i = from; i < to; i++) {
        if (next == 0) {
          try {
            outcomes[i] = publish(i);
            next = EntryWriter.endsCall(outcomes[i]) ? EntryWriter.NOT_TRIED : 0;
            continue;
          } catch (Throwable failed) { // an address that could not even be read
            next = outcome(failed);
          }
        }
        try {
          outcomes[i] = writer.cancel(outcomes[i], next);
          next = EntryWriter.NOT_TRIED;
        } catch (Throwable broken) { // by what failed before, and then that is what to report
          return i;
        }
      }
      return to;
    }

    private int publish(int position) {
      long value = EntryWriter.value(request.input, position);
      return writer.publish(request.source, position, outcomes[position], value, request.flags);
    }

    private void end() {
      try {
        vector.end();
      } catch (FabricException failed) {
        // Addresses that were inserted stay in the vector, and are reported.
        next = next == 0 ? outcome(failed) : next;
      }
    }

    private static int outcome(Throwable failed) {
      return failed instanceof FabricException refused
          ? -refused.errno().number()
          : EntryWriter.NO_MEMORY;
    }

    /** Writes handles, counts successes and queues failures. */
    private void report(int from, int to) {
      for (int i = from; i < to; i++) {
        if (request.outcome != null) {
          request.outcome.add(outcomes[i]);
        }
        try {
          vector.layout.write(outcomes[i], i, request.handles, null);
        } catch (IllegalStateException freed) {
          // The caller freed the array before the completion (AV-081): the events still tell.
        }
        if (outcomes[i] >= 0) {
          inserted++;
        } else if (!queue().loseIfFull()) {
          announceFailure(i, -outcomes[i]);
        }
      }
    }

    private void announceFailure(int position, int errno) {
      try {
        String words = request.source.failure(position, errno, vector.store.shortage()).toString();
        postFailure(position, errno, words);
      } catch (Throwable speechless) { // no memory for words, or an address that has none
        withMemory(() -> postFailure(position, errno, Errno.of(errno).toString()));
      }
    }

    private void postFailure(int position, int errno, String words) {
      Event.Failure.Builder failure = Event.Failure.of(vector, Errno.of(errno), words);
      queue().post(failure.context(request.context).data(position).providerErrno(errno).build());
    }

    /** Makes and queues an event, if need be as soon as there is memory for it. */
    private static void withMemory(Runnable event) {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        try {
          event.run();
          return;
        } catch (OutOfMemoryError full) {
          LockSupport.parkNanos(A_MOMENT);
        }
      }
    }
  }
}
