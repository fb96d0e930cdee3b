// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Manual progress: the threads that read a queue have queues of libfabric read. */
public final class ManualNativeProgress extends NativeProgress {
  /** The time between reads that make progress though they need none, in nanoseconds. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  private volatile long due = System.nanoTime();

  /**
   * Creates an engine that has nothing read yet.
   *
   * @param entries how many completions the queue of the application holds; 0 for a counter
   * @param reader the reader of all endpoints that report to the queue, closed with this, or null
   */
  public ManualNativeProgress(Libfabric library, int entries, @Nullable QueueReader reader) {
    super(new PolledQueues(library, true), entries, reader);
  }

  @Override
  public void progress() {
    queues.move();
  }

  @Override
  public void progressIfDue(boolean atOnce) {
    long now = System.nanoTime();
    if (atOnce || now - due >= 0) {
      due = now + DUE;
      progress();
    }
  }

  @Override
  public void await(long nanoseconds) {
    queues.await(nanoseconds);
  }

  @Override
  public void wake() {
    queues.wake();
  }

  @Override
  public void close() {
    queues.close();
    super.close();
  }
}
