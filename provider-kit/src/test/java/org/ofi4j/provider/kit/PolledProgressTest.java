// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.core.testing.TestDomain;

/** Transports that are polled by readers of queues or by the thread of a domain. */
class PolledProgressTest {
  private final MemorySegment memory = Arena.ofAuto().allocate(8);

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(TestDomain.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  void readerThatWaitsGetsWhatAPollFindsWithoutAnyChange(Progress kind) throws Exception {
    MemoryFabric fabric = MemoryFabric.polled(kind);
    ReliableEndpoint endpoint = fabric.endpoint();
    MemoryFabric.Endpoint transport = fabric.transport();
    endpoint.trySend(memory, 0, "sent");
    AtomicInteger polls = new AtomicInteger();
    fabric.onPoll =
        () -> {
          if (polls.incrementAndGet() == 3) {
            transport.endSend();
          }
        };

    Completion read = fabric.queue.read(TestDomain.PATIENCE);

    assertThat(Objects.requireNonNull(read).context()).isEqualTo("sent");
    endpoint.close();
    fabric.closeAll();
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  void changeEndsTheWaitOfAReader(Progress kind) throws Exception {
    MemoryFabric fabric = MemoryFabric.open(kind, 0);
    ReliableEndpoint endpoint = fabric.endpoint();
    MemoryFabric.Endpoint transport = fabric.transport();
    endpoint.trySend(memory, 0, "sent");
    AtomicInteger changes = new AtomicInteger();
    fabric.onPoll =
        () -> {
          if (changes.getAndSet(0) > 0) {
            transport.endSend();
          }
        };
    Thread reader = Thread.currentThread();
    Thread peer =
        Thread.ofPlatform()
            .start(() -> {
              while (reader.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              changes.incrementAndGet();
              Objects.requireNonNull(transport.registration).changed();
            });

    Completion read = fabric.queue.read(TestDomain.PATIENCE);

    assertThat(Objects.requireNonNull(read).context()).isEqualTo("sent");
    peer.join();
    endpoint.close();
    fabric.closeAll();
  }

  @ParameterizedTest
  @EnumSource(names = {"MANUAL", "AUTO"})
  void readerThatMakesSpaceGetsTheCompletionsThatFoundNone(Progress kind) throws Exception {
    MemoryFabric fabric = MemoryFabric.open(kind, 1);
    ReliableEndpoint endpoint = fabric.endpoint();
    MemoryFabric.Endpoint transport = fabric.transport();
    fabric.onPoll = transport::reportKept;
    int posted = 0;
    while (endpoint.trySend(memory, 0, posted)) {
      transport.endSend();
      posted++;
    }

    for (int i = 0; i < posted; i++) {
      Completion read = fabric.queue.read(TestDomain.PATIENCE);
      assertThat(Objects.requireNonNull(read).context()).isEqualTo(i);
    }
    endpoint.close();
    fabric.closeAll();
  }

  @Test
  void readersPollWithManualProgressAlone() {
    MemoryFabric fabric = MemoryFabric.open(Progress.MANUAL, 0);
    ReliableEndpoint endpoint = fabric.endpoint();
    AtomicInteger polls = new AtomicInteger();
    fabric.onPoll = polls::incrementAndGet;

    assertThat(fabric.progress.thread()).isNull();
    assertThat(polls).hasValue(0);
    fabric.queue.read();
    assertThat(polls).hasValue(1);

    endpoint.close();
    fabric.queue.read();
    assertThat(polls).as("after the registration was closed").hasValue(1);
    fabric.closeAll();
  }

  @Test
  void threadGoesOnAfterATransportHasFailed() throws Exception {
    MemoryFabric fabric = MemoryFabric.polled(Progress.AUTO);
    CountDownLatch failed = new CountDownLatch(3);
    fabric.onPoll =
        () -> {
          failed.countDown();
          throw new IllegalStateException("a poll that fails, as the test wants");
        };
    ReliableEndpoint endpoint = fabric.endpoint();

    await(failed);

    Thread thread = Objects.requireNonNull(fabric.progress.thread());
    assertThat(thread.isAlive()).isTrue();
    assertThat(thread.isDaemon()).isTrue();
    endpoint.close();
    fabric.closeAll();
    assertThat(thread.isAlive()).as("after the domain was closed").isFalse();
  }
}
