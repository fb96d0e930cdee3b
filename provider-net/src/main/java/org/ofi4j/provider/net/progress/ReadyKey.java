// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.progress;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** What a selection key is about, and who is to hear when its channel is ready. */
public interface ReadyKey {
  /**
   * The channel is ready. Called by a thread that has just looked in a selector, with no lock held.
   *
   * @param operations what it is ready for, as in {@link java.nio.channels.SelectionKey}
   * @return whose data can be moved now
   */
  ProgressTarget ready(int operations);

  /**
   * Tells what a selected key is about that its channel is ready.
   *
   * @return whose data can be moved now; null if the channel is being closed
   */
  static @Nullable ProgressTarget ready(SelectionKey key) {
    try {
      return key.attachment() instanceof ReadyKey about ? about.ready(key.readyOps()) : null;
    } catch (CancelledKeyException closing) {
      return null;
    }
  }
}
