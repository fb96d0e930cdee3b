package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.core.queue.CoreEventQueue;

/**
 * One insertion under way on an asynchronous vector. Runs in a thread of its own: prepares its
 * addresses, waits for its turn, ends its reservations, and queues one event for each failed
 * address and then the completion (AV-054, AV-055, AV-062).
 */
final class AsynchronousInsertion implements Runnable {
  // So many addresses under the lock at once: others get in between, events are queued outside.
  private static final int SLICE = 1024;

  private final FabricObject vector;
  private final EntryWriter writer;
  private final CoreEventQueue queue;
  private final AddressSource source;
  private final int[] outcomes;
  private final @Nullable MemorySegment userIds;
  private final @Nullable MemorySegment handles;
  private final @Nullable ArrayInsertion insertion;
  private final long flags;
  private final @Nullable Object context;
  private final CountDownLatch ended = new CountDownLatch(1);
  private @Nullable AsynchronousInsertion predecessor;
  private volatile boolean aborted;

  /**
   * An insertion whose indices are reserved.
   *
   * @param vector what events name as their source
   * @param writer the vector's entries
   * @param queue where events go
   * @param request what the caller asked for
   * @param outcomes the reserved indices, or why there is none
   * @param predecessor the insertion whose end this one has to wait for before it may settle what
   *     is a duplicate, or null
   */
  AsynchronousInsertion(
      FabricObject vector,
      EntryWriter writer,
      CoreEventQueue queue,
      AsynchronousRequest request,
      int[] outcomes,
      @Nullable AsynchronousInsertion predecessor) {
    this.vector = vector;
    this.writer = writer;
    this.queue = queue;
    this.source = request.source();
    this.userIds = request.userIds();
    this.handles = request.handles();
    this.insertion = request.insertion();
    this.flags = request.flags();
    this.context = request.context();
    this.outcomes = outcomes;
    this.predecessor = predecessor;
  }

  /** Makes it end early: what was not tried yet fails (AV-065). Its thread is to be interrupted. */
  void abort() {
    aborted = true;
  }

  /** Waits for the end. */
  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  @Override
  public void run() {
    int inserted = 0;
    try {
      boolean stopped = !prepare();
      for (int from = 0; from < outcomes.length; from += SLICE) {
        int to = Math.min(from + SLICE, outcomes.length);
        stopped = settle(from, to, stopped);
        inserted += report(from, to);
        writer.giveWay();
      }
    } finally {
      if (insertion != null) {
        insertion.complete(inserted);
      }
      queue.post(new Event.InsertionComplete(vector, context, inserted));
      ended.countDown();
    }
  }

  /** Does what takes long; false if there is no going on. */
  private boolean prepare() {
    if (aborted) {
      return false; // before this thread ran, so that the interrupt went unheard
    }
    try {
      source.prepare();
      AsynchronousInsertion before = predecessor;
      predecessor = null;
      if (before != null) {
        before.awaitEnd();
      }
      return !aborted;
    } catch (InterruptedException abort) {
      return false;
    }
  }

  /** Turns reservations into outcomes; true if the rest is not to be tried. */
  private boolean settle(int from, int to, boolean stoppedBefore) {
    boolean stopped = stoppedBefore;
    writer.lockAnyway();
    try {
      stopped |= aborted;
      for (int i = from; i < to; i++) {
        if (stopped) {
          outcomes[i] = writer.cancel(outcomes[i]);
        } else {
          long id = userIds == null ? 0 : userIds.getAtIndex(JAVA_LONG_UNALIGNED, i);
          outcomes[i] = writer.publish(source, i, outcomes[i], id, flags);
          stopped = EntryWriter.endsCall(outcomes[i]);
        }
      }
    } finally {
      writer.unlock();
    }
    return stopped;
  }

  /** Writes handles and queues failures; the number of successes. */
  private int report(int from, int to) {
    int inserted = 0;
    for (int i = from; i < to; i++) {
      if (outcomes[i] >= 0) {
        inserted++;
      }
      write(i);
      if (outcomes[i] < 0) {
        int errno = -outcomes[i];
        queue.post(
            new Event.Failure(
                vector,
                context,
                i,
                Errno.of(errno),
                errno,
                FailureWords.of(source, i, errno).toString()));
      }
    }
    return inserted;
  }

  private void write(int position) {
    try {
      writer.report(
          position,
          outcomes[position],
          handles,
          insertion == null ? null : insertion.errorMemory());
    } catch (IllegalStateException freed) {
      // The caller freed the array before the completion (AV-081): the events still tell.
      return;
    }
  }

  /** The handle of a reservation, for the form that returns one. */
  long firstHandle(HandleLayout layout) {
    return outcomes[0] < 0 ? Handles.NOT_AVAILABLE : layout.handle(outcomes[0]);
  }
}
