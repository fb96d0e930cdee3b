// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import org.jspecify.annotations.Nullable;
import org.ofi4j.spi.ProgressEngine;

/** The engine behind a queue or counter of the application: it has queues of libfabric read. */
public abstract sealed class NativeProgress implements ProgressEngine
    permits ManualNativeProgress, AutomaticNativeProgress {
  final PolledQueues queues;
  private final int entries;
  private final @Nullable QueueReader reader;

  NativeProgress(PolledQueues queues, int entries, @Nullable QueueReader reader) {
    this.queues = queues;
    this.entries = entries;
    this.reader = reader;
  }

  /** Has a queue read from now on: an endpoint reports to the queue or counter of this engine. */
  public final void add(QueueReader added) {
    queues.add(added);
  }

  /** Ends one {@link #add}: the endpoint was closed. */
  public final void remove(QueueReader removed) {
    queues.remove(removed);
  }

  /**
   * Returns the reader of all endpoints that report to the queue, which is closed with this; null
   * if each endpoint has its own, and for a counter.
   */
  public final @Nullable QueueReader reader() {
    return reader;
  }

  /** Returns how many completions the queue of the application holds; 0 for a counter. */
  public final int entries() {
    return entries;
  }

  /** Ends a wait: an operation waits to be posted, or the queue of the application has space. */
  public final void changed() {
    queues.wake();
  }

  @Override
  public final void roomAgain() {
    queues.wake();
  }

  @Override
  public void close() {
    if (reader != null) {
      reader.close();
    }
  }
}
