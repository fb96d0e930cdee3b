// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Manual progress: the threads that read a queue have libfabric's queues read. */
public final class ManualNativeProgress implements NativeProgress {
  /** Between reads that make progress though they need none, in nanoseconds. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  private final Readers readers = new Readers();
  private final Waiting waiting;
  private final @Nullable QueueBackend backend;
  private volatile long due = System.nanoTime();

  /**
   * Moves nothing yet.
   *
   * @param backend the backend of a queue, closed with this; null for a counter
   */
  public ManualNativeProgress(Libfabric library, @Nullable QueueBackend backend) {
    this.backend = backend;
    waiting = new Waiting(library, true);
  }

  @Override
  public void add(QueueReader reader) {
    readers.add(reader);
    waiting.wake();
  }

  @Override
  public void remove(QueueReader reader) {
    readers.remove(reader);
    waiting.wake();
  }

  @Override
  public QueueBackend backend() {
    return Objects.requireNonNull(backend);
  }

  @Override
  public void changed() {
    waiting.wake();
  }

  @Override
  public void progress() {
    if (readers.move()) {
      waiting.moved();
    }
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
    waiting.await(readers.all(), nanoseconds);
  }

  @Override
  public void wake() {
    waiting.wake();
  }

  @Override
  public void roomAgain() {
    waiting.wake();
  }

  @Override
  public void close() {
    waiting.close();
    if (backend != null) {
      backend.close();
    }
  }
}
