// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;

/** What would end the JVM if it reached C. */
final class HostileProgram {
  private final String provider;

  private HostileProgram(String provider) {
    this.provider = provider;
  }

  private interface Use {
    void of(Rig rig, ReliableEndpoint one, ReliableEndpoint two) throws Exception;
  }

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String provider : arguments) {
      new HostileProgram(provider).addTo(scenarios);
    }
    scenarios.runAndExit();
  }

  private void addTo(Scenarios scenarios) {
    add(scenarios, "handles that name nothing", HostileProgram::noHandles);
    add(scenarios, "handles that are removed while they are sent to", HostileProgram::removed);
    add(scenarios, "handles whose peer is replaced", HostileProgram::replaced);
    add(scenarios, "handles of other vectors", HostileProgram::otherVectors);
    add(scenarios, "receives whose memory is freed", HostileProgram::freedReceives);
    add(scenarios, "sends whose memory is freed", HostileProgram::freedSends);
    add(scenarios, "memory of other threads", HostileProgram::confined);
    add(scenarios, "an endpoint that is closed while a thread waits", HostileProgram::closed);
    add(scenarios, "a queue that is closed while a thread waits", HostileProgram::closedQueue);
    add(scenarios, "two threads that send through one endpoint", HostileProgram::twoSenders);
    add(scenarios, "a domain that is closed too early", HostileProgram::busyDomain);
    add(scenarios, "all is closed while a large message is pending", HostileProgram::pending);
    if (provider.equals("shm")) {
      add(scenarios, "peers that are not there", HostileProgram::absent);
      add(scenarios, "addresses that are none", HostileProgram::badTexts);
    }
    scenarios.add(
        provider + ": memory that the thread of automatic progress cannot access",
        () -> with(Rig.hints(provider).withProgress(Progress.AUTO), HostileProgram::confinedAuto));
  }

  private void add(Scenarios scenarios, String what, Use use) {
    scenarios.add(provider + ": " + what, () -> with(Rig.hints(provider), use));
  }

  private static void with(Hints hints, Use use) throws Exception {
    // With remote access over shm too.
    try (Rig rig = new Rig(hints.withMemoryRegionModes(MemoryRegionMode.UNPROTECTED))) {
      ReliableEndpoint one = rig.endpoint();
      ReliableEndpoint two = rig.endpoint();
      use.of(rig, one, two);
    }
  }

  /** All is still as it should be. */
  private static void exchange(Rig rig, ReliableEndpoint from, ReliableEndpoint to, long handle)
      throws Exception {
    MemorySegment buffer = memory(100);
    to.receive(buffer, "exchanged");
    from.send(pattern(memory(100), 77), handle, "sent last");
    assertThat(rig.success("exchanged").length()).isEqualTo(100);
    assertPattern(buffer, 100, 77);
    rig.success("sent last");
  }

  /** Closing everything, which comes after each scenario, must not fail. */
  private static void pending(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long to = rig.insert(two);
    exchange(rig, one, two, to);
    one.send(memory(1_000_000), to, "pending");
  }

  private static void assertInvalid(Scenarios.Scenario call, String... words) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
        .message()
        .contains(words);
  }

  private static void assertNoHandle(ReliableEndpoint endpoint, long handle) {
    MemorySegment memory = memory(8);
    String named = Long.toString(handle);
    RemotePlace place = new RemotePlace(0, 8, 1);
    assertInvalid(() -> endpoint.trySend(memory, handle, null), named);
    assertInvalid(() -> endpoint.send(memory, handle, null), named);
    assertInvalid(() -> endpoint.tryInject(memory, handle), named);
    assertInvalid(
        () ->
            endpoint.trySendTagged(
                new TaggedSendRequest().memory(memory).destination(handle).tag(1)),
        named);
    assertInvalid(
        () ->
            endpoint.tryInjectTagged(
                new TaggedSendRequest().memory(memory).destination(handle).tag(1)),
        named);
    assertInvalid(() -> endpoint.tryRead(memory, handle, place, null), named);
    assertInvalid(() -> endpoint.tryWrite(memory, handle, place, null), named);
    assertInvalid(() -> endpoint.tryInjectWrite(memory, handle, place), named);
    assertInvalid(() -> endpoint.warmUp(handle), named);
    assertThat(endpoint.statistics().outstandingTransmits()).isZero();
  }

  private static void noHandles(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    List<Long> none =
        List.of(
            0L,
            1L,
            7L,
            -2L,
            1L << 31,
            1L << 40,
            Long.MAX_VALUE,
            Long.MIN_VALUE,
            Handles.UNSPECIFIED);
    none.forEach(handle -> assertNoHandle(one, handle));
    long toTwo = rig.insert(two);
    none.stream().filter(handle -> handle != toTwo).forEach(handle -> assertNoHandle(one, handle));
    exchange(rig, one, two, toTwo);
  }

  private static void removed(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    for (int round = 0; round < 5; round++) {
      long toTwo = rig.insert(two);
      int sent = 0;
      while (sent < 20 && one.trySend(pattern(memory(32), sent), toTwo, "sent")) {
        sent++;
      }
      assertThat(sent).isPositive();
      rig.vector.remove(toTwo);
      assertNoHandleWhileOthersAreUnderWay(one, toTwo);
      for (int i = 0; i < sent; i++) {
        MemorySegment buffer = memory(32);
        two.receive(buffer, "received");
        rig.success("received");
        assertPattern(buffer, 32, i);
        rig.success("sent");
      }
    }
    exchange(rig, one, two, rig.insert(two));
  }

  private static void assertNoHandleWhileOthersAreUnderWay(ReliableEndpoint one, long handle) {
    assertInvalid(() -> one.trySend(memory(8), handle, null), Long.toString(handle));
  }

  private static void replaced(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    ReliableEndpoint three = rig.endpoint();
    long handle = rig.insert(two);
    for (int i = 0; i < 5; i++) {
      exchange(rig, one, i % 2 == 0 ? two : three, handle);
      rig.vector.replace(handle, (i % 2 == 0 ? three : two).address());
    }
    exchange(rig, one, three, handle);
  }

  private static void otherVectors(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long toTwo = rig.insert(two);
    try (AddressVector other = rig.domain.openAddressVector()) {
      long first = other.insert(one.address());
      long second = other.insert(two.address());
      assertThat(second).isNotEqualTo(toTwo);
      assertNoHandle(one, second);
      rig.vector.remove(toTwo);
      assertNoHandle(one, first);
    }
    exchange(rig, one, two, rig.insert(two));
  }

  private static void freedReceives(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long toTwo = rig.insert(two);
    for (int size : new int[] {10, 5_000, 200_000}) {
      Arena arena = Arena.ofShared();
      two.receive(arena.allocate(size), "freed");
      two.receiveTagged(arena.allocate(size), TagPattern.exactly(1), "freed too");
      arena.close();
      one.send(memory(size), toTwo, "sent");
      one.sendTagged(
          new TaggedSendRequest().memory(memory(size)).destination(toTwo).tag(1).context("sent"));
      for (String each : List.of("freed", "freed too")) {
        Completion.Failure failure = rig.failure(each);
        assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure.reason()).contains("memory");
        rig.success("sent");
      }
    }
    assertThat(two.statistics().outstandingReceives()).isZero();
    exchange(rig, one, two, toTwo);
  }

  private static void freedSends(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long toTwo = rig.insert(two);
    for (int size : new int[] {10, 5_000, 200_000}) {
      try (Arena arena = Arena.ofShared()) {
        one.send(pattern(arena.allocate(size), size), toTwo, "sent");
      }
      MemorySegment buffer = memory(size);
      two.receive(buffer, "received");
      assertThat(rig.success("received").length()).isEqualTo(size);
      assertPattern(buffer, size, size);
      rig.success("sent");
      Arena gone = Arena.ofShared();
      MemorySegment freed = gone.allocate(size);
      gone.close();
      assertInvalid(() -> one.trySend(freed, toTwo, null), "message");
      assertInvalid(() -> two.tryReceive(freed, null), "buffer");
    }
    exchange(rig, one, two, toTwo);
  }

  /** What one thread confines, another one reads the completion of. */
  private static void confined(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long toTwo = rig.insert(two);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment own = arena.allocate(10);
      two.receive(own, "confined");
      Scenarios.together(() -> {
        assertInvalid(() -> one.trySend(own, toTwo, null), "message");
        assertInvalid(() -> two.tryReceive(own, null), "buffer");
        one.send(memory(10), toTwo, "sent");
        Completion.Failure failure = rig.failure("confined");
        assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
        assertThat(failure.reason()).contains("memory");
        rig.success("sent");
      });
      two.receive(own, "received");
      one.send(pattern(memory(10), 3), toTwo, "sent");
      rig.success("received");
      assertPattern(own, 10, 3);
      rig.success("sent");
    }
    assertThatThrownBy(() -> two.tryReceive(memory(10).asReadOnly(), null))
        .isInstanceOf(FabricException.class);
    assertThatThrownBy(() -> two.tryReceive(MemorySegment.ofArray(new byte[4]).asReadOnly(), null))
        .isInstanceOf(FabricException.class);
    exchange(rig, one, two, toTwo);
  }

  private static void confinedAuto(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    long toTwo = rig.insert(two);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment own = arena.allocate(10);
      assertInvalid(() -> two.tryReceive(own, null), "buffer");
      // It is copied when it is posted.
      one.send(pattern(own, 3), toTwo, "sent");
    }
    MemorySegment buffer = memory(10);
    two.receive(buffer, "received");
    rig.success("received");
    assertPattern(buffer, 10, 3);
    rig.success("sent");
    exchange(rig, one, two, toTwo);
  }

  private static void closed(Rig rig, ReliableEndpoint one, ReliableEndpoint two) throws Exception {
    long toTwo = rig.insert(two);
    for (int i = 0; i < 5; i++) {
      ReliableEndpoint brief = rig.endpoint();
      brief.receive(memory(10), "never");
      FutureTask<Completion> waiting =
          new FutureTask<>(() -> rig.queue.read(Duration.ofMillis(100)));
      Thread thread = Thread.ofPlatform().start(waiting);
      while (thread.getState() == Thread.State.NEW) {
        Thread.onSpinWait();
      }
      brief.send(memory(10), toTwo, "never");
      brief.close();
      assertThatThrownBy(() -> brief.trySend(memory(10), toTwo, null))
          .isInstanceOf(FabricException.class);
      assertThatThrownBy(() -> brief.tryReceive(memory(10), null))
          .isInstanceOf(FabricException.class);
      waiting.get();
    }
    // What was sent before has come, or not.
    while (rig.next(Duration.ofMillis(1)) != null) {
      Thread.onSpinWait();
    }
    try (Rig other = new Rig(Rig.hints(rig.domain.info().fabric().provider()))) {
      ReliableEndpoint from = other.endpoint();
      ReliableEndpoint to = other.endpoint();
      exchange(other, from, to, other.insert(to));
    }
    assertThat(one.isOpen()).isTrue();
  }

  private static void closedQueue(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    for (int i = 0; i < 5; i++) {
      CompletionQueue queue = rig.domain.openCompletionQueue();
      ReliableEndpoint bound =
          rig.domain.openReliableEndpoint(EndpointOptions.of(rig.vector, queue));
      bound.receive(memory(10), "never");
      CountDownLatch begun = new CountDownLatch(1);
      FutureTask<Completion> waiting =
          new FutureTask<>(() -> {
            begun.countDown();
            return queue.read(Rig.PATIENCE);
          });
      Thread.ofPlatform().start(waiting);
      begun.await();
      assertThatThrownBy(queue::close).isInstanceOf(FabricBusyException.class);
      bound.close();
      queue.close();
      try {
        assertThat(waiting.get()).isNull();
      } catch (ExecutionException refused) {
        assertThat(refused).hasCauseInstanceOf(FabricException.class);
      }
      assertThatThrownBy(queue::read).isInstanceOf(FabricException.class);
    }
    exchange(rig, one, two, rig.insert(two));
  }

  private static void twoSenders(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    int each = 2_000;
    long toTwo = rig.insert(two);
    int[] next = new int[2];
    MemorySegment buffer = memory(8);
    Scenarios.together(
        () -> sendNumbers(one, toTwo, 0, each),
        () -> sendNumbers(one, toTwo, 1, each),
        () -> {
          for (int i = 0; i < 2 * each; i++) {
            two.receive(buffer, "received");
            rig.success("received");
            int sender = buffer.get(ValueLayout.JAVA_INT, 0);
            assertThat(buffer.get(ValueLayout.JAVA_INT, 4)).isEqualTo(next[sender]++);
          }
        });
    assertThat(next).containsExactly(each, each);
    while (one.statistics().outstandingTransmits() > 0) {
      rig.move();
    }
    assertThat(one.statistics().sends().succeeded()).isEqualTo(2 * each);
  }

  private static void sendNumbers(ReliableEndpoint from, long to, int sender, int count) {
    MemorySegment message = memory(8);
    message.set(ValueLayout.JAVA_INT, 0, sender);
    for (int i = 0; i < count; i++) {
      message.set(ValueLayout.JAVA_INT, 4, i);
      while (!from.tryInject(message, to)) {
        Thread.yield();
      }
    }
  }

  private static void busyDomain(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    assertThatThrownBy(rig.domain::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.fabric::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.vector::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.queue::close).isInstanceOf(FabricBusyException.class);
    exchange(rig, one, two, rig.insert(two));
  }

  /** A peer costs its own messages and no others. */
  private static void absent(Rig rig, ReliableEndpoint one, ReliableEndpoint two) throws Exception {
    ReliableEndpoint hasty =
        rig.endpoint(
            EndpointOptions.of(rig.vector, rig.queue)
                .withConnections(
                    ConnectionOptions.defaults().withConnectTimeout(Duration.ofMillis(200))));
    long toTwo = rig.insert(two);
    long toNobody =
        rig.vector.insert(new FabricAddress.TextAddress("fi_shm://nobody-" + System.nanoTime()));
    long toNobodyElse =
        rig.vector.insert(new FabricAddress.TextAddress("fi_shm://no-" + System.nanoTime()));
    hasty.send(memory(10), toNobody, "late");
    hasty.sendTagged(
        new TaggedSendRequest()
            .memory(memory(10))
            .destination(toNobodyElse)
            .tag(1)
            .context("late too"));
    exchange(rig, hasty, two, toTwo);
    for (String each : List.of("late", "late too")) {
      Completion.Failure failure = rig.failure(each);
      assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
      assertThat(failure.reason()).contains("200 ms");
    }
    exchange(rig, one, two, toTwo);
    // Nor does closing wait for those.
    one.send(memory(10), toNobody, "never");
  }

  private static void badTexts(Rig rig, ReliableEndpoint one, ReliableEndpoint two)
      throws Exception {
    ReliableEndpoint hasty =
        rig.endpoint(
            EndpointOptions.of(rig.vector, rig.queue)
                .withConnections(
                    ConnectionOptions.defaults().withConnectTimeout(Duration.ofMillis(20))));
    for (String text :
        List.of(
            "fi_shm://",
            "fi_shm://..",
            "fi_shm:///etc/passwd",
            "fi_shm://../../etc/passwd",
            "fi_shm://" + "a".repeat(255),
            "fi_shm://" + "a".repeat(4_000),
            "fi_shm://" + "a/".repeat(1_000),
            "fi_ns://none:1:2",
            "nothing of the kind")) {
      long handle;
      try {
        handle = rig.vector.insert(FabricAddress.of(one.address().format(), bytes(text)));
      } catch (FabricException refused) {
        assertThat(refused.getMessage()).isNotBlank();
        continue;
      }
      try {
        hasty.send(memory(10), handle, text);
      } catch (FabricException refused) {
        assertThat(refused.getMessage()).isNotBlank();
        continue;
      }
      assertThat(rig.failure(text).reason()).isNotBlank();
    }
    exchange(rig, one, two, rig.insert(two));
  }

  private static byte[] bytes(String text) {
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }
}
