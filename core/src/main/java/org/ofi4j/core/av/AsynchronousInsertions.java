// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
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
 * of calls (AV-086). Each insertion has a thread of its own and ends when it can, whatever the
 * others wait for (AV-061); of equal addresses that which is settled first keeps its entry (D-66).
 */
final class AsynchronousInsertions {
  static final ThreadFactory VIRTUAL_THREADS =
      work -> Thread.ofVirtual().name("ofi4j-insert").unstarted(work);

  private final FabricObject vector;
  private final Lifetime lifetime;
  private final EntryWriter writer;
  private final ThreadFactory threads;

  /** Signals that an insertion has ended. */
  private final Condition ended;

  // Guarded by the lock.
  private final Set<AsynchronousInsertion> pending = new LinkedHashSet<>();

  private volatile @Nullable CoreEventQueue queue;

  AsynchronousInsertions(
      FabricObject vector, Lifetime lifetime, EntryWriter writer, ThreadFactory threads) {
    this.vector = vector;
    this.lifetime = lifetime;
    this.writer = writer;
    this.threads = threads;
    this.ended = writer.newCondition();
  }

  /** Names the queue of all events, once (AV-071). */
  void bind(CoreEventQueue eventQueue) {
    try (EntryWriter.Held _ = writer.lock()) {
      if (queue != null) {
        throw invalid(vector + " is bound to " + queue + " already, and binds one only");
      }
      lifetime.hold(eventQueue.lifetime());
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
  void start(AsynchronousRequest request) {
    int[] outcomes = reservations(request.source().count());
    AsynchronousInsertion insertion =
        new AsynchronousInsertion(vector, writer, queue(), request, outcomes);
    Thread thread =
        threads.newThread(() -> {
          try {
            insertion.run();
          } finally {
            forget(insertion);
          }
        });
    try (EntryWriter.Held _ = writer.begin()) {
      insertion.reserve();
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

  private static int[] reservations(int count) {
    try {
      return new int[count];
    } catch (OutOfMemoryError tooMany) {
      throw new FabricException(
          Errno.ENOMEM, count + " addresses are too many for one insertion here", tooMany);
    }
  }

  private void forget(AsynchronousInsertion insertion) {
    try (EntryWriter.Held _ = writer.lockAnyway()) {
      pending.remove(insertion);
      ended.signalAll();
    }
  }

  /**
   * Gives up all names that are being resolved; returns when all insertions have ended and the last
   * of their events is queued (D-29).
   */
  void abort() {
    try (EntryWriter.Held _ = writer.lockAnyway()) {
      pending.forEach(AsynchronousInsertion::giveUpNames);
      while (!pending.isEmpty()) {
        ended.awaitUninterruptibly();
      }
    }
  }
}
