// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

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
