// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import org.ofi4j.spi.ProgressEngine;

/** A progress engine that knows the endpoints bound to its queue. */
public sealed interface NetProgress extends ProgressEngine
    permits ManualProgress, AutomaticProgress {
  /** An endpoint that is bound to the queue has been opened. */
  void add(ProgressTarget target);

  /**
   * An endpoint has closed its channels. When this returns, the channels' ports are free: a channel
   * that a selector knows lets go of them only when the selector has looked at it once more.
   */
  void remove(ProgressTarget target);

  /** An endpoint waits for something else than it did when it was last prepared. */
  void changed(ProgressTarget target);

  /**
   * An endpoint has closed some of its channels and stays. A closed channel's socket lingers until
   * the selectors that know it have looked at it once more; this has them do so, and does not wait.
   */
  void closedChannels();
}
