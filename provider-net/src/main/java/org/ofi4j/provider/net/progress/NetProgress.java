// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.Arrays;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.spi.ProgressEngine;

/** A progress engine that knows the endpoints bound to its queue. */
public abstract sealed class NetProgress implements ProgressEngine
    permits ManualProgress, AutomaticProgress {
  private static final ProgressTarget[] NONE = {};

  // Gone through often and without garbage, changed seldom.
  private volatile ProgressTarget[] targets = NONE;

  /** Returns the endpoints that are there now, in an array that is not to be changed. */
  final ProgressTarget[] targets() {
    return targets;
  }

  /** An endpoint that is bound to the queue has been opened. */
  public void add(ProgressTarget target) {
    synchronized (this) {
      ProgressTarget[] more = Arrays.copyOf(targets, targets.length + 1);
      more[targets.length] = target;
      targets = more;
    }
  }

  /**
   * An endpoint has closed its channels. When this returns, the channels' ports are free: a channel
   * that a selector knows lets go of them only when the selector has looked at it once more.
   */
  public void remove(ProgressTarget target) {
    synchronized (this) {
      targets =
          Arrays.stream(targets)
              .filter(each -> !each.equals(target))
              .toArray(ProgressTarget[]::new);
    }
  }

  /** An endpoint waits for something else than it did when it was last prepared. */
  public abstract void changed(ProgressTarget target);

  /**
   * An endpoint has closed some of its channels and stays. A closed channel's socket lingers until
   * the selectors that know it have looked at it once more; this has them do so, and does not wait.
   */
  public abstract void closedChannels();

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
