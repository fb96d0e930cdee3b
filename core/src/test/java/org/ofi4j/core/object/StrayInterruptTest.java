// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the JVM leaves in a thread whose memory is freed while it reads it. */
class StrayInterruptTest {
  private static final int MOST = 2000;
  private static final int BYTES = 1 << 20;

  @Test
  @DisplayName(
      "A reader whose memory is freed is interrupted now and then, and not behind takeBack")
  void taken() throws InterruptedException {
    boolean seen = false;
    for (int i = 0; i < MOST && !seen; i++) {
      seen = wasInterrupted();
    }
    // Each round has looked that nothing is left.
    assumeTrue(seen, "the JVM interrupted the reader in no round");
  }

  /** Frees memory that another thread reads; whether that was interrupted. */
  private static boolean wasInterrupted() throws InterruptedException {
    Arena arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(BYTES);
    CountDownLatch running = new CountDownLatch(1);
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    AtomicReference<Boolean> afterwards = new AtomicReference<>();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              try {
                for (int i = 0; ; i = (i + 8) & (BYTES - 8)) {
                  memory.get(ValueLayout.JAVA_LONG, i);
                  running.countDown();
                }
              } catch (IllegalStateException freed) {
                interrupted.set(Thread.currentThread().isInterrupted());
                StrayInterrupt.takeBack(freed);
                afterwards.set(Thread.currentThread().isInterrupted());
              }
            });
    running.await();
    arena.close();
    reader.join();
    assertThat(afterwards).hasValue(false);
    return interrupted.get();
  }

  @Test
  @DisplayName("What fails for another reason takes no interrupt back")
  void genuine() {
    Thread.currentThread().interrupt();
    StrayInterrupt.takeBack(new IndexOutOfBoundsException());
    assertThat(Thread.interrupted()).isTrue();
  }
}
