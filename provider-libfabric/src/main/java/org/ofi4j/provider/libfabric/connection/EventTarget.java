// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import org.ofi4j.provider.libfabric.library.NativeEventQueue;

/** What events of libfabric's are about. Hears of them with the lock of the reader held. */
public interface EventTarget {
  /** The time after which events that found no space are offered again, in nanoseconds. */
  long REPORT_PAUSE = 1_000_000;

  /** Something has happened, as libfabric says it. */
  void happened(NativeEventQueue.Event event);

  /**
   * Does what is due: reports what there was no room for, and gives up what takes too long.
   *
   * @param now by {@link System#nanoTime}
   * @return when to do that again, in nanoseconds from now; {@link
   *     org.ofi4j.provider.libfabric.progress.QueueReader#NO_LIMIT} if something has to happen
   *     first
   */
  long attend(long now);
}
