// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.awaitility.Awaitility;

/** Waits for states of clients, and for what no event tells. */
final class Awaited {
  private Awaited() {}

  /** Counted down when a client has reached a state. */
  static CountDownLatch reaches(CuratorFramework client, ConnectionState state) {
    CountDownLatch reached = new CountDownLatch(1);
    client
        .getConnectionStateListenable()
        .addListener((which, now) -> {
          if (now == state) {
            reached.countDown();
          }
        });
    return reached;
  }

  static void await(CountDownLatch reached) throws InterruptedException {
    reached.await();
  }

  static void until(Callable<Boolean> condition) {
    Awaitility.await()
        .forever()
        .pollInterval(Duration.ofMillis(20))
        .ignoreExceptions()
        .until(condition);
  }
}
