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
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;

/** Who moves the data, how readers wait, and what ends a wait. */
class ProgressTest {
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);
  private static final Duration WAIT = Duration.ofMillis(400);

  /** Enough to look at what was left over before; who never sleeps makes thousands. */
  private static final int FEW = 10;

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A reader that waits is woken by a message")
  void wokenByMessage(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      for (int i = 0; i < 20; i++) {
        one.receive(Rig.buffer(8), i);
        WaitingCall<Completion> reader = new WaitingCall<>(() -> rig.queue.read(WITHOUT_END));
        reader.awaitSleep();
        one.inject(Rig.message("x"), self);
        assertThat(reader.get().context()).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A reader that waits notices buffers that are posted after the message came")
  void wokenByPosting(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      for (int i = 0; i < 20; i++) {
        one.inject(Rig.message("x"), self);
        WaitingCall<Completion> reader = new WaitingCall<>(() -> rig.queue.read(WITHOUT_END));
        reader.awaitSleep();
        one.receive(Rig.buffer(8), i);
        assertThat(reader.get().context()).isEqualTo(i);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Readers that wait are woken by a send of another thread")
  void wokenBySend(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      List<WaitingCall<Completion>> readers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        readers.add(new WaitingCall<>(() -> rig.queue.read(WITHOUT_END)));
      }
      awaitSleep(readers);
      for (int i = 0; i < 8; i++) {
        one.send(Rig.message("x"), self, i);
      }
      List<Object> contexts = new ArrayList<>();
      for (WaitingCall<Completion> reader : readers) {
        contexts.add(reader.get().context());
      }
      assertThat(contexts).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  // A thread that closes a queue cannot be interrupted.
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @DisplayName("Closing the queue wakes all who wait, and they get nothing")
  void wokenByClose(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      CompletionQueue queue = rig.domain.openCompletionQueue();
      DatagramEndpoint endpoint = rig.domain.openDatagramEndpoint(rig.vector, queue);
      endpoint.receive(Rig.buffer(8), "never");
      List<WaitingCall<?>> readers = new ArrayList<>();
      for (Thread.Builder builder : List.of(Thread.ofPlatform().daemon(), Thread.ofVirtual())) {
        readers.add(new WaitingCall<>(builder, () -> queue.read(WITHOUT_END)));
        readers.add(
            new WaitingCall<>(
                builder, () -> queue.poll(Rig.collector(new ArrayList<>()), 4, WITHOUT_END)));
      }
      awaitSleep(readers);
      endpoint.close();
      awaitSleep(readers);
      queue.close();
      for (int i = 0; i < 4; i++) {
        assertThat((Object) readers.get(i).get()).isEqualTo(i % 2 == 0 ? null : 0);
      }
      assertThatThrownBy(queue::read)
          .isInstanceOfSatisfying(
              FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EINVAL));
    }
  }

  private static void awaitSleep(List<? extends WaitingCall<?>> calls) throws Exception {
    for (WaitingCall<?> each : calls) {
      each.awaitSleep();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Interrupting a reader ends its wait; the endpoint goes on")
  void interrupted(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      for (Thread.Builder builder : List.of(Thread.ofPlatform().daemon(), Thread.ofVirtual())) {
        WaitingCall<Completion> reader =
            new WaitingCall<>(builder, () -> rig.queue.read(WITHOUT_END));
        reader.awaitSleep();
        reader.interrupt();
        assertThatThrownBy(reader::get).hasCauseInstanceOf(InterruptedException.class);
      }

      Thread.currentThread().interrupt();
      one.inject(Rig.message("x"), self);
      // Calls that do not wait take what has arrived all the same.
      while (rig.queue.poll(Rig.collector(new ArrayList<>()), 1) == 0) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(() -> rig.queue.read(Rig.PATIENCE))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("x"), self);
      assertThat(rig.next()).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Waiting takes the time that was given, in one sleep or a few")
  void waitsWithoutSpinning(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      CountedSleeps sleeps = new CountedSleeps(rig.queue);
      // A message without a buffer for it, and a buffer without a message: both just wait.
      one.inject(Rig.message("x"), self);
      assertFewSleeps(rig, sleeps);
      one.receive(Rig.buffer(8), "receive");
      assertThat(rig.next()).isNotNull();
      one.receive(Rig.buffer(8), "receive");
      assertFewSleeps(rig, sleeps);
    }
  }

  private static void assertFewSleeps(Rig rig, CountedSleeps sleeps) throws InterruptedException {
    int before = sleeps.count();
    long start = System.nanoTime();
    assertThat(rig.next(WAIT)).isNull();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(WAIT);
    assertThat(sleeps.count() - before).as("sleeps of who moves data").isLessThan(FEW);

    // A reader need not be who moves data, so its own sleeps are counted too. One that was woken
    // too early is woken once.
    CountedSleeps.progressOf(rig.queue).wake();
    int own = 0;
    long end = System.nanoTime() + WAIT.toNanos();
    for (long left = WAIT.toNanos(); left > 0; left = end - System.nanoTime()) {
      CountedSleeps.progressOf(rig.queue).await(left);
      own++;
    }
    assertThat(own).as("sleeps of a reader").isLessThan(FEW);
  }

  @Test
  @DisplayName("With manual progress nothing moves until the queue is read")
  void manual() throws Exception {
    Set<Thread> before = progressThreads();
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.MANUAL))) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.inject(Rig.message("moved"), self);
      // Nor is there anybody who might move it later.
      assertThat(before).containsAll(progressThreads());
      assertThat(buffer.get(ValueLayout.JAVA_BYTE, 0)).isZero();
      rig.next();
      assertThat(Rig.text(buffer, 5)).isEqualTo("moved");
    }
  }

  @Test
  @DisplayName("With automatic progress data moves while nobody reads")
  void automatic() throws Exception {
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.AUTO))) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.inject(Rig.message("moved"), self);
      while (buffer.get(ValueLayout.JAVA_BYTE, 4) == 0) {
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
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.AUTO))) {
      rig.datagrams();
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
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Two queues: each direction completes on its own, and reading one moves both")
  void twoQueues(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind);
        CompletionQueue sends = rig.domain.openCompletionQueue();
        CompletionQueue receives = rig.domain.openCompletionQueue();
        DatagramEndpoint one =
            rig.domain.openDatagramEndpoint(
                EndpointOptions.of(rig.vector, sends).withReceiveQueue(receives))) {
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(8);
      one.receive(buffer, "receive");
      one.send(Rig.message("x"), self, "send");
      assertThat(sends.read(Rig.PATIENCE).context()).isEqualTo("send");
      while (buffer.get(ValueLayout.JAVA_BYTE, 0) == 0) {
        assertThat(sends.read(Duration.ofMillis(5))).isNull();
      }
      assertThat(buffer.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 'x');
      assertThat(receives.read(Rig.PATIENCE).context()).isEqualTo("receive");
    }
  }
}
