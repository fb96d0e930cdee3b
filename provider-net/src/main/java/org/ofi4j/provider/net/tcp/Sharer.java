// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;

/** An endpoint that shares its receives with others, as those receives see it. */
interface Sharer extends ReceivePoint {
  /** How shared receives end here. */
  ReceiveOutcomes sharedOutcomes();

  /** Does what has to wait until nothing else is under way, if that may be done any more. */
  void settle();

  /** Returns a task that wakes waiting threads, to run without the lock; null if none waits. */
  @Nullable Runnable news();
}
