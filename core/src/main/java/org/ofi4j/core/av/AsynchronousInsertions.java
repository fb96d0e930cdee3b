// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.queue.CoreEventQueue;

/**
 * The insertions under way on an asynchronous vector.
 *
 * <p>Indices are reserved when the call is made, under the vector's lock, so they follow the order
 * of calls (AV-086). Where it matters which of two equal addresses was first, insertions also end
 * in that order (D-15); else each ends when it can (AV-061). Names resolve side by side in any
 * case.
 */
final class AsynchronousInsertions {
  private final FabricObject vector;
  private final Lifetime lifetime;
  private final EntryWriter writer;
  private final VectorLock lock;
  private final boolean inCallOrder;
  private final @Nullable ThreadFactory threads;

  // Under the lock.
  private final Map<AsynchronousInsertion, Thread> pending = new LinkedHashMap<>();
  private @Nullable AsynchronousInsertion last;

  private volatile @Nullable CoreEventQueue queue;

  AsynchronousInsertions(
      FabricObject vector, Lifetime lifetime, EntryWriter writer, boolean inCallOrder) {
    this(vector, lifetime, writer, inCallOrder, null);
  }

  /** As the other one, with threads from elsewhere, null for those of the other one. */
  AsynchronousInsertions(
      FabricObject vector,
      Lifetime lifetime,
      EntryWriter writer,
      boolean inCallOrder,
      @Nullable ThreadFactory threads) {
    this.vector = vector;
    this.lifetime = lifetime;
    this.writer = writer;
    this.lock = writer.lock();
    this.inCallOrder = inCallOrder;
    this.threads = threads;
  }

  /** Names the queue of all events, once (AV-071). */
  void bind(CoreEventQueue eventQueue) {
    lock.lock();
    try {
      if (queue != null) {
        throw new FabricException(
            Errno.EINVAL, vector + " is bound to " + queue + " already, and binds one only");
      }
      lifetime.hold(eventQueue.lifetime());
      queue = eventQueue;
    } finally {
      lock.unlock();
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
  void start(AsynchronousRequest request) {
    int[] outcomes = reservations(request.source().count());
    AsynchronousInsertion insertion =
        new AsynchronousInsertion(vector, writer, queue(), request, outcomes);
    Thread thread =
        thread(() -> {
          try {
            insertion.run();
          } finally {
            forget(insertion);
          }
        });
    lock.begin();
    try {
      insertion.reserve(inCallOrder ? last : null);
      pending.put(insertion, thread);
      last = insertion;
    } finally {
      lock.end();
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

  private Thread thread(Runnable work) {
    return threads != null
        ? threads.newThread(work)
        : Thread.ofVirtual().name("ofi4j-insert").unstarted(work);
  }

  private static int[] reservations(int count) {
    try {
      return new int[count];
    } catch (OutOfMemoryError tooMany) {
      throw new FabricException(
          Errno.ENOMEM, count + " addresses are too many for one insertion here", tooMany);
    }
  }

  private void forget(AsynchronousInsertion insertion) {
    lock.lockAnyway();
    try {
      pending.remove(insertion);
      if (last == insertion) {
        last = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all insertions; returns when the last of their events is queued (D-26). */
  void abort() {
    List<AsynchronousInsertion> running;
    lock.lockAnyway();
    try {
      pending.forEach((insertion, thread) -> {
        insertion.abort();
        thread.interrupt();
      });
      running = List.copyOf(pending.keySet());
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    for (AsynchronousInsertion insertion : running) {
      while (true) {
        try {
          insertion.awaitEnd();
          break;
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
