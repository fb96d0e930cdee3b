// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Counter;
import org.ofi4j.CounterBinding;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.WriteRequest;

/** Counters bound to endpoints, over both protocols and with both kinds of progress. */
class CountersTest {
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);

  /** A domain with an endpoint that has a counter for each kind of operation. */
  private static final class Side implements AutoCloseable {
    final Fabric fabric;
    final Domain domain;
    final AddressVector vector;
    final CompletionQueue queue;
    final MessageEndpoint endpoint;
    final Counter sends;
    final Counter receives;

    Side(Hints hints, int queueSize) {
      this(hints, queueSize, false);
    }

    Side(Hints hints, int queueSize, boolean selective) {
      fabric = Fabrics.open(hints);
      domain = fabric.openDomain();
      vector = domain.openAddressVector(VectorOptions.table());
      queue =
          domain.openCompletionQueue(
              CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(queueSize));
      sends = domain.openCounter("sends");
      receives = domain.openCounter();
      EndpointOptions counted = countedOnly(this, sends, receives);
      endpoint =
          domain.openEndpoint(
              selective
                  ? counted.withSelectiveTransmitQueue(queue).withSelectiveReceiveQueue(queue)
                  : counted.withQueue(queue));
    }

    ReliableEndpoint reliable() {
      return (ReliableEndpoint) endpoint;
    }

    @Override
    public void close() {
      endpoint.close();
      sends.close();
      receives.close();
      queue.close();
      vector.close();
      domain.close();
      fabric.close();
    }
  }

  static List<Hints> kinds() {
    List<Hints> kinds = new ArrayList<>();
    for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
      kinds.add(udp(progress));
      kinds.add(tcp(progress));
    }
    return kinds;
  }

  private static Hints udp(Progress progress) {
    return Hints.latest().withProvider("udp").withSource("127.0.0.1:0").withProgress(progress);
  }

  private static Hints tcp(Progress progress) {
    return Hints.reliable()
        .withProvider("tcp")
        .withCapabilities(Capability.MSG, Capability.TAGGED)
        .withSource("127.0.0.1:0")
        .withProgress(progress);
  }

  private static MemorySegment message(int size) {
    return Arena.ofAuto().allocate(size);
  }

  /** Waits for a number while another thread waits on the other side, as two processes would. */
  private static void both(Counter left, long leftNumber, Counter right, long rightNumber)
      throws Exception {
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<Boolean> reached = other.submit(() -> right.await(rightNumber, WITHOUT_END));
      assertThat(left.await(leftNumber, WITHOUT_END)).isTrue();
      assertThat(reached.get()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("All that ends is counted: what is reported, what is silent, and what is injected")
  void counted(Hints hints) throws Exception {
    try (Side left = new Side(hints, 0, true);
        Side right = new Side(hints, 0, true)) {
      long toRight = left.vector.insert(right.endpoint.address());
      for (int i = 0; i < 6; i++) {
        right.endpoint.receive(message(64), "receive");
      }
      for (int i = 0; i < 2; i++) {
        left.endpoint.inject(message(8), toRight);
        left.endpoint.send(message(8), toRight, "silent");
        left.endpoint.send(
            new SendRequest()
                .memory(message(8))
                .destination(toRight)
                .context("reported")
                .reported(true));
      }
      both(left.sends, 6, right.receives, 6);
      assertThat(left.sends.read()).isEqualTo(6);
      assertThat(left.sends.readErrors()).isZero();
      assertThat(left.receives.read()).isZero();
      assertThat(right.receives.read()).isEqualTo(6);
      assertThat(right.sends.read()).isZero();
      for (int i = 0; i < 2; i++) {
        assertThat(left.queue.read(WITHOUT_END)).isNotNull();
      }
      assertThat(left.queue.read()).isNull();
      assertThat(right.queue.read()).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A thread that waits for a counter moves the data, and is woken by what comes")
  void waiting(Hints hints) throws Exception {
    try (Side left = new Side(hints, 0);
        Side right = new Side(hints, 0)) {
      long toRight = left.vector.insert(right.endpoint.address());
      right.endpoint.receive(message(64), "receive");
      WaitingCall<Boolean> reached = new WaitingCall<>(() -> right.receives.await(1, WITHOUT_END));
      reached.awaitSleep();
      left.endpoint.send(message(8), toRight, "send");
      assertThat(left.sends.await(1, WITHOUT_END)).isTrue();
      assertThat(reached.get()).isTrue();
      // What counts has its completion in the queue already.
      assertThat(left.queue.read()).isNotNull();
      assertThat(right.queue.read()).isNotNull();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Failures are counted apart")
  void failures(Hints hints) throws Exception {
    try (Side left = new Side(hints, 0);
        Side right = new Side(hints, 0)) {
      long toRight = left.vector.insert(right.endpoint.address());
      right.endpoint.receive(message(4), "too short");
      right.endpoint.receive(message(4), "withdrawn");
      assertThat(right.endpoint.cancel("withdrawn")).isTrue();
      assertThat(right.receives.readErrors()).isEqualTo(1);
      left.endpoint.send(message(8), toRight, "send");
      while (right.receives.readErrors() < 2 | left.sends.read() < 1) { // both move their data
        Thread.sleep(1);
      }
      assertThat(right.receives.read()).isZero();
      assertThat(right.receives.readErrors()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Over TCP a full queue keeps nothing from being counted")
  void fullQueue(Progress progress) throws Exception {
    try (Side left = new Side(tcp(progress), 2);
        Side right = new Side(tcp(progress), 2)) {
      long toRight = left.vector.insert(right.endpoint.address());
      for (int i = 0; i < 20; i++) {
        right.endpoint.receive(message(64), i);
        left.endpoint.send(message(8), toRight, i);
      }
      both(left.sends, 20, right.receives, 20);
      for (int i = 0; i < 20; i++) {
        assertThat(right.queue.read(WITHOUT_END)).isNotNull();
      }
      assertThat(right.receives.read()).isEqualTo(20);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Looking for a message counts nothing; tagged ones and those of one buffer do")
  void looking(Progress progress) throws Exception {
    Hints hints =
        tcp(progress)
            .withMoreCapabilities(Capability.MSG, Capability.TAGGED, Capability.MULTI_RECEIVE);
    try (Side left = new Side(hints, 0);
        Side right = new Side(hints, 0)) {
      long toRight = left.vector.insert(right.endpoint.address());
      right.endpoint.receive(
          new ReceiveRequest().memory(message(8)).mode(ReceiveMode.PEEK).context("peek"));
      assertThat(right.queue.read(WITHOUT_END)).isInstanceOf(Completion.Failure.class);
      assertThat(right.receives.readErrors()).isZero();
      left.reliable()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(message(8))
                  .destination(toRight)
                  .tag(5)
                  .context("tagged"));
      right.reliable().receiveTagged(message(8), TagPattern.exactly(5), "tagged");
      both(left.sends, 1, right.receives, 1);
      for (int i = 0; i < 3; i++) {
        left.endpoint.send(message(100), toRight, "part");
      }
      right.endpoint.receive(
          new ReceiveRequest()
              .memory(message(310))
              .mode(ReceiveMode.SEVERAL_MESSAGES)
              .context("several"));
      both(left.sends, 4, right.receives, 4);
      assertThat(right.receives.read()).isEqualTo(4);
      assertThat(right.receives.readErrors()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Reads and writes of remote memory are counted at both ends")
  void remoteMemory(Progress progress) throws Exception {
    Hints hints =
        tcp(progress)
            .withMoreCapabilities(
                Capability.MSG,
                Capability.TAGGED,
                Capability.RMA,
                Capability.READ,
                Capability.WRITE,
                Capability.REMOTE_READ,
                Capability.REMOTE_WRITE);
    try (Side left = new Side(hints, 0);
        Side right = new Side(hints, 0);
        Counter reads = left.domain.openCounter();
        Counter writes = left.domain.openCounter();
        Counter remote = right.domain.openCounter();
        ReliableEndpoint from =
            left.domain.openReliableEndpoint(
                countedOnly(left, left.sends, left.receives)
                    .withMoreCounters(reads, CounterFlag.READ)
                    .withMoreCounters(writes, CounterFlag.WRITE));
        ReliableEndpoint to =
            right.domain.openReliableEndpoint(
                countedOnly(right, right.sends, right.receives)
                    .withMoreCounters(remote, CounterFlag.REMOTE_READ, CounterFlag.REMOTE_WRITE));
        MemoryRegion region =
            right.domain.register(message(100), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      long toRight = left.vector.insert(to.address());
      for (int i = 0; i < 3; i++) {
        from.write(message(50), toRight, region.place(), "write");
      }
      both(writes, 3, remote, 3);
      for (int i = 0; i < 2; i++) {
        from.read(message(50), toRight, region.place(), "read");
      }
      both(reads, 2, remote, 5);
      assertThat(left.sends.read()).isZero();
      assertThat(right.receives.read()).isZero();
      assertThat(remote.read()).isEqualTo(5);
      from.write(
          new WriteRequest()
              .memory(message(50))
              .destination(toRight)
              .place(region.place())
              .data(77)
              .context("write"));
      both(writes, 4, remote, 6);
      assertThat(right.receives.read()).isZero();
    }
  }

  private static EndpointOptions countedOnly(Side side, Counter sends, Counter receives) {
    return EndpointOptions.none()
        .withVector(side.vector)
        .withMoreCounters(sends, CounterFlag.SEND)
        .withMoreCounters(receives, CounterFlag.RECEIVE);
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName(
      "Over TCP counters are enough: what ends is counted, and nothing is kept for a queue")
  void withoutQueues(Progress progress) throws Exception {
    try (Side left = new Side(tcp(progress), 0);
        Side right = new Side(tcp(progress), 0);
        Counter sent = left.domain.openCounter();
        Counter answered = left.domain.openCounter();
        Counter answers = right.domain.openCounter();
        Counter received = right.domain.openCounter();
        MessageEndpoint from = left.domain.openEndpoint(countedOnly(left, sent, answered));
        MessageEndpoint to = right.domain.openEndpoint(countedOnly(right, answers, received))) {
      long handle = left.vector.insert(to.address());
      // Many more than are kept at a time, so that each has to be given back.
      int rounds = 1_500;
      MemorySegment message = message(8);
      MemorySegment buffer = message(8);
      for (int i = 1; i <= rounds; i++) {
        message.set(ValueLayout.JAVA_LONG, 0, i);
        to.receive(buffer, "received");
        from.send(message, handle, "sent");
        if (i % 500 == 0) {
          both(sent, i, received, i);
          assertThat(buffer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        } else {
          awaitRead(sent, received, i);
        }
      }
      assertThat(left.queue.read()).isNull();
      assertThat(right.queue.read()).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Without a queue a failure is counted too")
  void failuresWithoutQueues(Progress progress) throws Exception {
    try (Side side = new Side(tcp(progress), 0);
        Counter sent = side.domain.openCounter();
        Counter received = side.domain.openCounter();
        MessageEndpoint endpoint =
            side.domain.openEndpoint(
                countedOnly(side, sent, received)
                    .withConnections(
                        ConnectionOptions.defaults().withConnectTimeout(Duration.ofMillis(100))))) {
      FabricAddress nobody =
          FabricAddress.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1));
      endpoint.send(message(8), side.vector.insert(nobody), "lost");
      while (sent.readErrors() < 1) {
        Thread.sleep(1);
      }
      assertThat(sent.read()).isZero();
    }
  }

  /** Moves both sides until a number is there. */
  private static void awaitRead(Counter one, Counter other, long number) {
    while (one.read() < number | other.read() < number) { // both move
      Thread.onSpinWait();
    }
  }

  @Test
  @Tag("AV-211")
  @DisplayName("Each direction needs a queue or a counter")
  void neitherQueueNorCounter() {
    try (Side side = new Side(tcp(Progress.MANUAL), 0);
        Side datagrams = new Side(udp(Progress.MANUAL), 0);
        Counter counter = side.domain.openCounter();
        Counter other = datagrams.domain.openCounter()) {
      EndpointOptions neither = EndpointOptions.none().withVector(side.vector);
      refused(() -> side.domain.openEndpoint(neither), Errno.ENOCQ);
      EndpointOptions passive = neither.withMoreCounters(counter, CounterFlag.REMOTE_WRITE);
      refused(() -> side.domain.openEndpoint(passive), Errno.ENOCQ);
      EndpointOptions sending = passive.withMoreCounters(counter, CounterFlag.SEND);
      refused(() -> side.domain.openEndpoint(sending), Errno.ENOCQ);
      side.domain.openEndpoint(sending.withReceiveQueue(side.queue)).close();
      EndpointOptions counted = countedOnly(datagrams, other, datagrams.sends);
      datagrams.domain.openEndpoint(counted).close();
    }
  }

  @Test
  @DisplayName("Bindings: flags that mean nothing, twice the same, of another domain")
  void bindings() {
    Hints hints = tcp(Progress.MANUAL);
    try (Side side = new Side(hints, 0);
        Side stranger = new Side(hints, 0);
        Counter more = side.domain.openCounter()) {
      EndpointOptions options = countedOnly(side, side.sends, side.receives);
      refused(() -> options.withMoreCounters(more), Errno.EBADFLAGS);
      refused(() -> new CounterBinding(more, 1L << 40), Errno.EBADFLAGS);
      EndpointOptions twice = options.withMoreCounters(more, CounterFlag.READ, CounterFlag.SEND);
      refused(() -> side.domain.openEndpoint(twice), Errno.EINVAL);
      EndpointOptions foreign = options.withMoreCounters(stranger.sends, CounterFlag.READ);
      refused(() -> side.domain.openEndpoint(foreign), Errno.EINVAL);
      try (MessageEndpoint counting =
          side.domain.openEndpoint(
              options.withMoreCounters(more, CounterFlag.READ, CounterFlag.WRITE))) {
        refused(more::close, Errno.EBUSY);
        assertThat(counting.isOpen()).isTrue();
      }
      assertThat(side.sends.context()).isEqualTo("sends");
      assertThat(side.sends.domain()).isSameAs(side.domain);
    }
  }

  private static void refused(Runnable call, Errno errno) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }
}
