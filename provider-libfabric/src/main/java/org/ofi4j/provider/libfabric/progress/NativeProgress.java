// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import org.ofi4j.core.queue.ProgressEngine;

/** What moves the data behind a queue or counter: it knows the readers that matter to it. */
public sealed interface NativeProgress extends ProgressEngine
    permits ManualNativeProgress, AutomaticNativeProgress {
  /** An endpoint is opened that reports to this queue or counter, and what it has to have read. */
  void add(QueueReader reader);

  /** That endpoint was closed. */
  void remove(QueueReader reader);

  /** Returns the backend of the queue, which is closed with this; a counter has none. */
  QueueBackend backend();

  /** An operation waits to be posted, or a receive is there that was not before. */
  void changed();
}
