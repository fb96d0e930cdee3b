// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import org.jspecify.annotations.Nullable;
import org.ofi4j.spi.ProgressEngine;

/** The engine behind a queue or counter of the application: it has queues of libfabric read. */
public sealed interface NativeProgress extends ProgressEngine
    permits ManualNativeProgress, AutomaticNativeProgress {
  /** Has a queue read from now on: an endpoint reports to the queue or counter of this engine. */
  void add(QueueReader reader);

  /** Ends one {@link #add}: the endpoint was closed. */
  void remove(QueueReader reader);

  /**
   * Returns the reader of all endpoints that report to the queue, which is closed with this; null
   * if each endpoint has its own, and for a counter.
   */
  @Nullable QueueReader reader();

  /** Returns how many completions the queue of the application holds; 0 for a counter. */
  int entries();

  /** Ends a wait: an operation waits to be posted, or a queue was added. */
  void changed();
}
