// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.BindFlag;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;

/** Who moves the data, how readers wait, and what ends a wait. */
class ProgressTest {
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("A reader that waits is woken by a message")
  void wokenByMessage(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      for (int i = 0; i < 20; i++) {
        one.receive(Rig.buffer(8), i);
        Future<Completion> reader = threads.submit(() -> rig.queue.read(Rig.SOON));
        Thread.sleep(5);
        assertThat(reader.isDone()).isFalse();
        one.inject(Rig.message("x"), self);
        assertThat(reader.get(10, TimeUnit.SECONDS).context()).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("A reader that waits notices buffers that are posted after the message came")
  void wokenByPosting(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      for (int i = 0; i < 20; i++) {
        one.inject(Rig.message("x"), self);
        Future<Completion> reader = threads.submit(() -> rig.queue.read(Rig.SOON));
        Thread.sleep(5);
        assertThat(reader.isDone()).isFalse();
        one.receive(Rig.buffer(8), i);
        assertThat(reader.get(10, TimeUnit.SECONDS).context()).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("Readers that wait are woken by a send of another thread")
  void wokenBySend(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      List<Future<Completion>> readers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        readers.add(threads.submit(() -> rig.queue.read(Rig.SOON)));
      }
      Thread.sleep(20);
      for (int i = 0; i < 8; i++) {
        one.send(Rig.message("x"), self, i);
      }
      List<Object> contexts = new ArrayList<>();
      for (Future<Completion> reader : readers) {
        contexts.add(reader.get(10, TimeUnit.SECONDS).context());
      }
      assertThat(contexts).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("Closing the queue wakes all who wait, within 10 ms as a rule, and they get nothing")
  void wokenByClose(Hints kind) throws Exception {
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      best = Math.min(best, closeWithReaders(kind));
    }
    // The machine may be busy for a while, but not in each of the rounds.
    assertThat(Duration.ofNanos(best)).isLessThanOrEqualTo(Duration.ofMillis(10));
  }

  private static long closeWithReaders(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      CompletionQueue queue = rig.domain.openCompletionQueue();
      Endpoint endpoint = rig.domain.openEndpoint();
      endpoint.bind(rig.vector);
      endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
      endpoint.enable();
      endpoint.receive(Rig.buffer(8), "never");
      ConcurrentLinkedQueue<Long> woken = new ConcurrentLinkedQueue<>();
      CountDownLatch ready = new CountDownLatch(4);
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        boolean reads = i % 2 == 0;
        readers.add(
            threads.submit(() -> {
              ready.countDown();
              Object got =
                  reads
                      ? queue.read(WITHOUT_END)
                      : (Object) queue.poll(Rig.collector(new ArrayList<>()), 4, WITHOUT_END);
              woken.add(System.nanoTime());
              return got;
            }));
      }
      ready.await();
      Thread.sleep(20);
      endpoint.close();
      assertThat(readers).noneMatch(Future::isDone);
      long start = System.nanoTime();
      queue.close();
      for (int i = 0; i < 4; i++) {
        Object got = readers.get(i).get(10, TimeUnit.SECONDS);
        assertThat(got).isEqualTo(i % 2 == 0 ? null : 0);
      }
      assertThatThrownBy(queue::read)
          .isInstanceOfSatisfying(
              FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EINVAL));
      return woken.stream().mapToLong(at -> at - start).max().orElseThrow();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("Interrupting a reader ends its wait; the endpoint goes on")
  void interrupted(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      for (Thread.Builder builder : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread reader =
            builder.start(() -> {
              try {
                outcome.set(rig.queue.read(WITHOUT_END));
              } catch (InterruptedException expected) {
                outcome.set(expected);
              }
            });
        Thread.sleep(20);
        reader.interrupt();
        assertThat(reader.join(Rig.SOON)).isTrue();
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
      }

      Thread.currentThread().interrupt();
      one.inject(Rig.message("x"), self);
      assertThat(rig.queue.poll(Rig.collector(new ArrayList<>()), 1)).isLessThan(2);
      assertThatThrownBy(() -> rig.queue.read(Rig.SOON)).isInstanceOf(InterruptedException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("x"), self);
      assertThat(rig.next()).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("Waiting takes the time that was given, and no processor time")
  void waitsWithoutSpinning(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      // A message without a buffer for it, and a buffer without a message: both just wait.
      one.inject(Rig.message("x"), self);
      assertThat(rig.next(Duration.ofMillis(50))).isNull();
      assertIdle(rig);
      one.receive(Rig.buffer(8), "receive");
      assertThat(rig.next()).isNotNull();
      one.receive(Rig.buffer(8), "receive");
      assertIdle(rig);
    }
  }

  private static void assertIdle(Rig rig) throws InterruptedException {
    Duration wait = Duration.ofMillis(400);
    long start = System.nanoTime();
    long before = processorTime();
    assertThat(rig.next(wait)).isNull();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    Duration used = Duration.ofNanos(processorTime() - before);
    assertThat(took).isGreaterThanOrEqualTo(wait);
    assertThat(used).isLessThan(wait.dividedBy(2));
  }

  /** Processor time of this thread and of the threads that make automatic progress. */
  private static long processorTime() {
    long time = Measured.processorTime(Thread.currentThread());
    for (Thread each : Thread.getAllStackTraces().keySet()) {
      if (each.getName().startsWith("ofi4j-progress")) {
        time += Measured.processorTime(each);
      }
    }
    return time;
  }

  @Test
  @DisplayName("With manual progress nothing moves until the queue is read")
  void manual() throws Exception {
    try (Rig rig = new Rig(Rig.ipv4().progress(Progress.MANUAL))) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.inject(Rig.message("moved"), self);
      Thread.sleep(50);
      assertThat(buffer.get(ValueLayout.JAVA_BYTE, 0)).isZero();
      rig.next();
      assertThat(Rig.text(buffer, 5)).isEqualTo("moved");
    }
  }

  @Test
  @DisplayName("With automatic progress data moves while nobody reads")
  void automatic() throws Exception {
    try (Rig rig = new Rig(Rig.ipv4().progress(Progress.AUTO))) {
      Endpoint one = rig.endpoint();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.inject(Rig.message("moved"), self);
      long end = System.nanoTime() + Rig.SOON.toNanos();
      while (buffer.get(ValueLayout.JAVA_BYTE, 4) == 0 && System.nanoTime() < end) {
        Thread.sleep(1);
      }
      assertThat(Rig.text(buffer, 5)).isEqualTo("moved");
    }
  }

  @Test
  @DisplayName("The thread of a domain with automatic progress ends with the domain")
  void threadEnds() {
    // Other classes of tests keep a domain for as long as the process lives.
    Set<Thread> before = progressThreads();
    Set<Thread> during;
    try (Rig rig = new Rig(Rig.ipv4().progress(Progress.AUTO))) {
      rig.endpoint();
      during = progressThreads();
      during.removeAll(before);
      assertThat(during).isNotEmpty();
    }
    assertThat(progressThreads()).doesNotContainAnyElementsOf(during);
  }

  private static Set<Thread> progressThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("ofi4j-progress"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#kinds")
  @DisplayName("Two queues: each direction completes on its own, and reading one moves both")
  void twoQueues(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        CompletionQueue sends = rig.domain.openCompletionQueue();
        CompletionQueue receives = rig.domain.openCompletionQueue();
        Endpoint one = rig.domain.openEndpoint()) {
      one.bind(rig.vector);
      one.bind(sends, BindFlag.TRANSMIT);
      one.bind(receives, BindFlag.RECEIVE);
      one.enable();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.send(Rig.message("x"), self, "send");
      assertThat(sends.read(Rig.SOON).context()).isEqualTo("send");
      long end = System.nanoTime() + Rig.SOON.toNanos();
      while (buffer.get(ValueLayout.JAVA_BYTE, 0) == 0 && System.nanoTime() < end) {
        assertThat(sends.read(Duration.ofMillis(5))).isNull();
      }
      assertThat(buffer.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'x');
      assertThat(receives.read(Rig.SOON).context()).isEqualTo("receive");
    }
  }
}
