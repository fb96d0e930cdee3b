// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The thread that changes a vector. */
class LoopTest {
  @Test
  @DisplayName("Nothing is begun after closing, also if a listener comes back only then")
  void listenerComesBackLate() throws InterruptedException {
    Loop loop = new Loop("test");
    CountDownLatch isListening = new CountDownLatch(1);
    CountDownLatch isFree = new CountDownLatch(1);
    AtomicBoolean hasChanged = new AtomicBoolean();
    loop.execute(() -> {
      isListening.countDown();
      try {
        isFree.await();
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    });
    Awaited.await(isListening);
    loop.execute(() -> hasChanged.set(true));
    // So it does not wait for the listener.
    Thread.currentThread().interrupt();
    loop.close();
    assertThat(Thread.interrupted()).isTrue();
    isFree.countDown();
    // This waits for all that was begun.
    loop.close();
    assertThat(hasChanged).isFalse();
  }
}
