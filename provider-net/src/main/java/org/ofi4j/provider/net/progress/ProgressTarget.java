// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Whose data is moved: an endpoint with one channel or many. Any thread may call; whoever finds
 * another one at work leaves it to that one.
 */
public abstract class ProgressTarget implements ReadyKey {
  /** A {@link #patience} that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Whether the target stands in the list of a {@link ProgressThread}, and who comes after it. */
  final AtomicBoolean listed = new AtomicBoolean();

  @Nullable ProgressTarget nextListed;

  /** Moves what can be moved at once, within a bound that keeps others from starving. */
  public abstract void progress();

  /** Writes what the calling thread has posted, if it waits for more to be posted. */
  public void flush() {}

  /** Tells those who move the target's data that it waits for something else than before. */
  public abstract void changed();

  /**
   * Returns whether data can come that is seen without a system call, and is expected soon: it is
   * worth watching for a moment before a thread sleeps.
   */
  public boolean isWatched() {
    return false;
  }

  /** Returns whether such data is there. */
  public boolean hasArrived() {
    return false;
  }

  /**
   * Gets ready for a thread to sleep in a selector: says there what the target waits for.
   *
   * @throws IOException if the target's channels are closed
   */
  public abstract void prepare(Selector selector) throws IOException;

  /**
   * A thread that sleeps when readers of a queue do has slept, after it called {@link #prepare}.
   */
  public void awake() {}

  /**
   * When the target must be looked at, even if none of its channels is ready.
   *
   * @return nanoseconds from now on, at least 0, or {@link #NEVER}
   */
  public long patience() {
    return NEVER;
  }

  @Override
  public ProgressTarget ready(int operations) {
    return this;
  }

  /** Keeps a selector from reporting the target's channels until it is prepared again. */
  public abstract void leave(Selector selector);
}
