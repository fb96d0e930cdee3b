// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.queue.CoreCompletionQueue;

/**
 * The completion queues whose waiting threads are to be woken once a lock has been released. {@link
 * Completions} are reported while the lock is held, and waking may run code of the application
 * ({@link org.ofi4j.CompletionQueue#whenReady}), or a thread that wants the lock next. One object
 * belongs to one lock, which guards it.
 */
public final class Wakeups {
  // One or two queues at most times, for which no memory is needed.
  private @Nullable CoreCompletionQueue first;
  private @Nullable CoreCompletionQueue second;
  private @Nullable List<CoreCompletionQueue> further;

  private final Runnable release;

  /**
   * Creates wakeups of no queue.
   *
   * @param release releases the lock
   */
  public Wakeups(Runnable release) {
    this.release = release;
  }

  /**
   * Returns whether no thread is to be woken.
   *
   * @return true if no completion was reported since the last release
   */
  public boolean isEmpty() {
    return first == null;
  }

  void add(CoreCompletionQueue queue) {
    if (first == null || queue.equals(first)) {
      first = queue;
    } else if (second == null || queue.equals(second)) {
      second = queue;
    } else {
      if (further == null) {
        further = new ArrayList<>();
      }
      if (!further.contains(queue)) {
        further.add(queue);
      }
    }
  }

  /** Releases the lock, which the caller holds once, and wakes the threads that wait. */
  public void releaseAndWake() {
    CoreCompletionQueue one = first;
    CoreCompletionQueue other = second;
    List<CoreCompletionQueue> rest = further;
    first = null;
    second = null;
    further = null;
    release.run();
    if (one != null) {
      one.wakeReaders();
    }
    if (other != null) {
      other.wakeReaders();
    }
    if (rest != null) {
      rest.forEach(CoreCompletionQueue::wakeReaders);
    }
  }
}
