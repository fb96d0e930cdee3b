// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.nio.channels.Selector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
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

  /**
   * Opens a selector.
   *
   * @param purpose goes on from the word "selector"
   * @throws FabricException with {@link Errno#ENOMEM} if the process has no descriptor left
   */
  static Selector openSelector(String purpose) {
    try {
      return Selector.open();
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector " + purpose + ": " + failed + "; raise the limit of open files",
          failed);
    }
  }
}
