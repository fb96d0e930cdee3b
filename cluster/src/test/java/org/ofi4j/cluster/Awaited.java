// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;

/** Waits for what no event tells. */
final class Awaited {
  private Awaited() {}

  static void until(Callable<Boolean> condition) {
    until(Duration.ofSeconds(30), condition);
  }

  static void until(Duration patience, Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(patience)
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptions()
        .until(condition);
  }
}
