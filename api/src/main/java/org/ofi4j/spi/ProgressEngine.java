// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.spi;

/**
 * Moves the data behind one completion queue. A provider supplies it: with manual progress the
 * threads that read the queue run it, with automatic progress a thread of the domain's own does and
 * the readers merely wait to be told.
 *
 * <p>All calls may come from any thread, but {@link #await} from one at a time.
 */
public interface ProgressEngine {
  /** Moves what can be moved at once; never waits. */
  void progress();

  /**
   * The same, unless this was called not long ago: for a read that finds what it wants without any
   * progress. A queue that is never found empty would keep its endpoints waiting for ever.
   *
   * @param atOnce however long ago that was
   */
  void progressIfDue(boolean atOnce);

  /**
   * Makes progress for a reader. An engine whose {@link #await} ends at once if there is something
   * to do may leave it to the wait.
   *
   * @param waits whether the reader calls {@link #await} next if it finds nothing
   */
  default void progress(boolean waits) {
    progress();
  }

  /**
   * Waits until {@link #progress} may find something to do, {@link #wake} is or was called since
   * the last wait, the thread is interrupted, or the time is up. May return early for no reason.
   *
   * @param nanoseconds how long to wait, more than 0
   */
  void await(long nanoseconds);

  /** Ends the wait that is under way, or else the next one. */
  void wake();

  /** Says that the queue, which had been full, has room again. */
  void roomAgain();

  /** Releases what waiting takes; the queue is closed and nothing is bound to it. */
  void close();
}
