// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Limits;

/** Many threads at once, and endpoints that are closed under them. */
class ThreadsTest {
  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @Tag("AV-005")
  @DisplayName("Many threads post and read at once; each completion goes to one of them")
  void manyThreads(Hints kind) throws Exception {
    int threadCount = 4;
    int messages = 3_000;
    try (Rig rig = new Rig(kind.withLimits(Limits.none().withReceiveSize(4_096)));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      long toTwo = rig.insert(two);
      BitSet sent = new BitSet();
      BitSet received = new BitSet();
      AtomicInteger left = new AtomicInteger(2 * threadCount * messages);
      AtomicInteger window = new AtomicInteger();
      List<Callable<Void>> work = new ArrayList<>();
      for (int t = 0; t < threadCount; t++) {
        int first = t * messages;
        work.add(() -> {
          for (int i = first; i < first + messages; i++) {
            // Datagrams are lost when the kernel's buffer is full: keep few under way.
            while (window.get() > 64) {
              Thread.sleep(0, 50_000);
            }
            window.incrementAndGet();
            MemorySegment buffer = Rig.buffer(8);
            retry(() -> two.tryReceive(buffer, buffer));
            MemorySegment message = Rig.buffer(8);
            message.set(ValueLayout.JAVA_LONG, 0, i);
            int number = i;
            retry(() -> one.trySend(message, toTwo, number));
          }
          return null;
        });
        work.add(() -> {
          List<Completion> taken = new ArrayList<>();
          while (left.get() > 0) {
            rig.queue.poll(Rig.collector(taken), 16, Duration.ofMillis(20));
            for (Completion each : taken) {
              record(each, sent, received, window);
              left.decrementAndGet();
            }
            taken.clear();
          }
          return null;
        });
      }
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
      assertThat(left.get()).isZero();
      assertThat(sent.cardinality()).isEqualTo(threadCount * messages);
      assertThat(received.cardinality()).isEqualTo(threadCount * messages);
    }
  }

  private static void record(Completion each, BitSet sent, BitSet received, AtomicInteger window) {
    assertThat(each).isInstanceOf(Completion.Success.class);
    synchronized (sent) {
      if (each.context() instanceof MemorySegment buffer) {
        int number = (int) buffer.get(ValueLayout.JAVA_LONG, 0);
        assertThat(received.get(number)).as("received twice: " + number).isFalse();
        received.set(number);
        window.decrementAndGet();
      } else if (each.context() instanceof Integer number) {
        assertThat(sent.get(number)).as("sent twice: " + number).isFalse();
        sent.set(number);
      }
    }
  }

  private static void retry(BooleanSupplier post) throws InterruptedException {
    while (!post.getAsBoolean()) {
      Thread.sleep(1);
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Endpoints may be closed while others read, post and wait")
  void closedUnderTraffic(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      DatagramEndpoint stays = rig.datagrams();
      long self = rig.insert(stays);
      Future<Integer> reader =
          threads.submit(() -> {
            int taken = 0;
            List<Completion> list = new ArrayList<>();
            while (!Thread.currentThread().isInterrupted()) {
              try {
                taken += rig.queue.poll(Rig.collector(list), 16, Duration.ofSeconds(1));
              } catch (InterruptedException end) {
                break;
              }
            }
            return taken;
          });
      for (int i = 0; i < 200; i++) {
        DatagramEndpoint brief = rig.domain.openDatagramEndpoint(rig.vector, rig.queue);
        Future<?> poster =
            threads.submit(() -> {
              try {
                boolean posted = true;
                while (posted) {
                  posted =
                      brief.tryReceive(Rig.buffer(8), "brief")
                          && brief.trySend(Rig.message("x"), self, "brief");
                }
                return "full";
              } catch (FabricException closed) {
                return closed.errno();
              }
            });
        stays.receive(Rig.buffer(8), "stays");
        brief.close();
        assertThat(poster.get()).isIn("full", Errno.EINVAL);
      }
      threads.shutdownNow();
      assertThat(reader.get()).isNotNegative();
    }
  }
}
