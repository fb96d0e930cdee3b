// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.matching.Sender;

/** An endpoint that receives are posted to, or several that share them: its lock and its peers. */
interface ReceivePoint {
  /** Takes the lock for a call of the application; throws if the endpoint is closed. */
  void lock();

  void unlock();

  /** Returns the peer group whose messages a receive takes; throws if its source names no group. */
  int wantedGroup(long source);

  /** Returns whether the source of a receive names no sender. */
  boolean isAnySource(long source);

  /** Returns the generation of the entry of a handle that a receive is directed at. */
  long generation(long source);

  /** Returns the number of the authorization key that a receive is directed at. */
  int authKey(long source);

  /**
   * Returns the {@linkplain Sender#origin origin} that a receive is directed at; null for an entry
   * that means any address.
   */
  @Nullable Sender sender(long source, long generation);
}
