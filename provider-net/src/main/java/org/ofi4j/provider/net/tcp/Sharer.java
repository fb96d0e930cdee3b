// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;

/** An endpoint that shares its receives with others, as those receives see it. */
interface Sharer extends ReceivePoint {
  /** How shared receives end here. */
  ReceiveOutcomes sharedOutcomes();

  /** Does what has to wait until nothing else is under way, if that may be done any more. */
  void settle();

  /** Tells those who sleep, and the log, what has changed; called without the lock. */
  void tell();
}
