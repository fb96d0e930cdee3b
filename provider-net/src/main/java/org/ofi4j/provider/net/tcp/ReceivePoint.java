// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.Sender;

/** Where receives are posted: an endpoint, or receives that several share. */
interface ReceivePoint {
  /** Takes the lock for a call of the application; throws if there is nothing to post to. */
  void lock();

  void unlock();

  Matching matching();

  /** The peer group whose messages a receive takes; throws if its source says none that is. */
  int wantedGroup(long source);

  /** Whether a receive's source names nobody. */
  boolean isAnySource(long source);

  /** Which generation the entry of a handle has that a receive is directed at. */
  long generation(long source);

  /** The number of the authorization key that a receive is directed at. */
  int authKey(long source);

  /** The {@linkplain Sender#origin origin} that a receive is directed at; null for any. */
  @Nullable Sender sender(long source, long generation);
}
