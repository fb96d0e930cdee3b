// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.connection.PeerDirectory;

/** An endpoint that receives are posted to, or several that share them: its lock and its peers. */
interface ReceivePoint {
  /** Takes the lock for a call of the application; throws if the endpoint is closed. */
  void lock();

  void unlock();

  /** Returns whether the source of a receive names no sender. */
  boolean isAnySource(long source);

  /**
   * Returns the peers that the source of a receive is looked up in.
   *
   * @param directed whether the receive takes messages of its source alone
   * @return null if sources say nothing here
   */
  @Nullable PeerDirectory peers(long source, boolean directed);
}
