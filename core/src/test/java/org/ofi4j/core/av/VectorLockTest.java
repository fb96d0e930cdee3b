// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.openOn;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.ForwardingStore;
import org.ofi4j.core.testing.TestInfo;

/** Taking the lock: for how long, and it is given back whatever happens. */
class VectorLockTest {
  @Test
  void noMemoryToBeginIsAnErrnoAndKeepsNothing() throws InterruptedException {
    AtomicBoolean exhausted = new AtomicBoolean(true);
    try (EntryStore real = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      EntryStore store =
          new ForwardingStore(real) {
            @Override
            public void begin() {
              if (exhausted.get()) {
                throw new OutOfMemoryError("unable to create native thread");
              }
            }
          };
      CoreAddressVector lock = openOn(TestInfo.defaults(), store);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(lock::begin)
            .isInstanceOf(FabricException.class)
            .hasMessageContaining("ENOMEM (12)")
            .hasMessageContaining("unable to create native thread");
      }
      exhausted.set(false);
      AtomicBoolean taken = new AtomicBoolean();
      Thread other =
          Thread.ofVirtual()
              .start(() -> {
                lock.begin();
                taken.set(true);
                lock.end();
              });
      other.join();
      assertThat(taken).isTrue();
    }
  }

  /** Each of them would wait for other processes in turn, if those before it did not count. */
  @Test
  void waitingForThreadsCountsAsWaitingForProcesses() throws InterruptedException {
    Duration patience = Duration.ofHours(1);
    BlockingQueue<Long> deadlines = new LinkedBlockingQueue<>();
    try (EntryStore real = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      EntryStore store =
          new ForwardingStore(real) {
            @Override
            public void begin(long deadline) {
              deadlines.add(deadline);
            }

            @Override
            public Duration lockTimeout() {
              return patience;
            }
          };
      CoreAddressVector lock = openOn(TestInfo.defaults(), store);
      Held held = lock.lock();
      List<Thread> others = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        others.add(
            Thread.ofPlatform()
                .start(() -> {
                  lock.begin();
                  lock.end();
                }));
      }
      for (Thread other : others) {
        while (other.getState() != Thread.State.TIMED_WAITING) {
          Thread.sleep(1);
        }
      }
      long waiting = System.nanoTime();
      held.close();
      for (Thread other : others) {
        other.join();
      }
      assertThat(deadlines)
          .hasSize(3)
          .allMatch(deadline -> deadline - waiting <= patience.toNanos(), "begins with its call");
    }
  }
}
