// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.Domain;
import org.ofi4j.EarlyMessages;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Endpoints that share their receives. */
class SharedReceivesTest {
  private static final FabricAddress ANYWHERE =
      FabricAddress.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

  /** Endpoints with queues of their own, one vector and one shared receive context. */
  private static final class Sharers implements AutoCloseable {
    final Rig rig;
    final Domain domain;
    final AddressVector vector;
    final CompletionQueue queue;
    final SharedReceiveContext shared;
    final List<Sharer> all = new ArrayList<>();

    final class Sharer implements AutoCloseable {
      final CompletionQueue own = domain.openCompletionQueue();
      final ReliableEndpoint endpoint;
      private final Deque<Completion> ended = new ArrayDeque<>();

      Sharer(boolean selective) {
        EndpointOptions options = sharing(own);
        endpoint =
            domain.openReliableEndpoint(
                selective
                    ? options.withSelectiveTransmitQueue(own).withSelectiveReceiveQueue(own)
                    : options);
      }

      @Nullable Completion poll() throws InterruptedException {
        if (ended.isEmpty()) {
          own.poll(Rig.collector(ended), 16, Duration.ofMillis(1));
        }
        return ended.pollFirst();
      }

      Completion next(Rig... others) throws InterruptedException {
        Completion found = poll();
        while (found == null) {
          for (Rig other : others) {
            other.move(Duration.ofMillis(1));
          }
          found = poll();
        }
        return found;
      }

      @Override
      public void close() {
        endpoint.close();
        own.close();
      }
    }

    Sharers(Hints hints, int count) {
      this(hints, count, SharedReceiveOptions.none());
    }

    Sharers(Hints hints, int count, SharedReceiveOptions options) {
      rig = new Rig(hints);
      domain = rig.domain;
      vector = rig.vector;
      queue = rig.queue;
      shared = domain.openSharedReceiveContext(domain.info(), options);
      for (int i = 0; i < count; i++) {
        open(false);
      }
    }

    /** Of an endpoint that shares, at any port. */
    EndpointOptions sharing(CompletionQueue reported) {
      return EndpointOptions.of(vector, reported).withSharedReceives(shared).withAddress(ANYWHERE);
    }

    Sharer open(boolean selective) {
      all.add(new Sharer(selective));
      return all.getLast();
    }

    Sharer get(int index) {
      return all.get(index);
    }

    @Override
    public void close() {
      all.forEach(Sharer::close);
      shared.close();
      rig.close();
    }
  }

  static List<Hints> kinds() {
    return List.of(hints(Progress.MANUAL), hints(Progress.AUTO));
  }

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress);
  }

  private static void assertRefused(Errno errno, String reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContaining(reason);
  }

  private static String text(Completion completion, MemorySegment buffer) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return Rig.text(buffer, ((Completion.Success) completion).length());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-213")
  @DisplayName("A message to any endpoint takes the next receive, and completes at that endpoint")
  void nextReceive(Hints hints) throws Exception {
    try (Sharers sharers = new Sharers(hints, 3);
        Rig peer = Rig.reliable(hints)) {
      long ofPeer = sharers.vector.insert(peer.name());
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
          long handle = peer.vector.insert(sharers.get(i).endpoint.address());
          MemorySegment buffer = Rig.buffer(64);
          sharers.shared.receive(buffer, "receive " + round + i);
          peer.endpoint().send(Rig.message("to " + i), handle, "sent");
          Completion.Success received = Rig.success(sharers.get(i).next(peer));
          assertThat(received.context()).isEqualTo("receive " + round + i);
          assertThat(received.source()).isEqualTo(ofPeer);
          assertThat(text(received, buffer)).isEqualTo("to " + i);
          assertThat(peer.next().context()).isEqualTo("sent");
        }
      }
      // They send like others.
      peer.endpoint().receive(Rig.buffer(8), "back");
      sharers.get(2).endpoint.inject(Rig.message("back"), ofPeer);
      Completion back = peer.next(Duration.ofMillis(1));
      while (back == null) {
        sharers.get(2).poll();
        back = peer.next(Duration.ofMillis(1));
      }
      assertThat(back.context()).isEqualTo("back");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Early messages of all endpoints are received in the order of their arrival")
  void early(Hints hints) throws Exception {
    try (Sharers sharers = new Sharers(hints, 2);
        Rig peer = Rig.reliable(hints)) {
      for (int i = 0; i < 6; i++) {
        long handle = peer.vector.insert(sharers.get(i % 2).endpoint.address());
        peer.endpoint()
            .send(
                new SendRequest()
                    .memory(Rig.message("m" + i))
                    .destination(handle)
                    .context(i)
                    .completes(CompletionLevel.DELIVERED));
        Completion sent = peer.next(Duration.ofMillis(1));
        while (sent == null) {
          sharers.get(0).poll();
          sharers.get(1).poll();
          sent = peer.next(Duration.ofMillis(1));
        }
      }
      for (int i = 0; i < 6; i++) {
        MemorySegment buffer = Rig.buffer(8);
        sharers.shared.receive(buffer, i);
        Completion received = sharers.get(i % 2).next(peer);
        assertThat(received.context()).isEqualTo(i);
        assertThat(text(received, buffer)).isEqualTo("m" + i);
      }
    }
  }

  @Test
  @Tag("AV-213")
  @DisplayName("All that share must have one vector; a later one may have another if none is left")
  void oneVector() {
    try (Sharers sharers = new Sharers(hints(Progress.MANUAL), 1)) {
      AddressVector other = sharers.domain.openAddressVector(VectorOptions.table());
      EndpointOptions stranger = sharers.sharing(sharers.queue).withVector(other);
      assertRefused(
          Errno.EINVAL,
          "must have the same address vector",
          () -> sharers.domain.openReliableEndpoint(stranger));
      sharers.all.removeFirst().close();
      sharers.domain.openReliableEndpoint(stranger).close();
      sharers.open(false);
      other.close();
    }
  }

  @Test
  @Tag("AV-213")
  @DisplayName("A receive directed at an entry takes nothing from an entry of another vector")
  void directedInAnotherVector() throws Exception {
    Hints plain = hints(Progress.MANUAL);
    Hints hints = plain.withMoreCapabilities(Capability.DIRECTED_RECEIVE);
    try (Sharers sharers = new Sharers(hints, 1);
        Rig peer = Rig.reliable(plain)) {
      long entry = sharers.vector.insert(peer.name());
      sharers.shared.receive(
          new ReceiveRequest().memory(Rig.buffer(8)).source(entry).context("of the entry"));
      // The same vector again: the entry lives.
      sharers.all.removeFirst().close();
      Sharers.Sharer again = sharers.open(false);
      peer.endpoint().inject(Rig.message("x"), peer.vector.insert(again.endpoint.address()));
      assertThat(again.next(peer).context()).isEqualTo("of the entry");

      sharers.shared.receive(
          new ReceiveRequest().memory(Rig.buffer(8)).source(entry).context("of the entry"));
      sharers.all.removeFirst().close();
      try (AddressVector other = sharers.domain.openAddressVector(VectorOptions.table());
          ReliableEndpoint endpoint =
              sharers.domain.openReliableEndpoint(
                  sharers.sharing(sharers.queue).withVector(other))) {
        assertThat(other.insert(peer.name())).isEqualTo(entry);
        sharers.shared.receive(Rig.buffer(8), "of any");
        peer.endpoint().inject(Rig.message("y"), peer.vector.insert(endpoint.address()));
        Completion received = null;
        while (received == null) {
          peer.move(Duration.ofMillis(1));
          received = sharers.queue.read(Duration.ofMillis(1));
        }
        assertThat(received.context()).isEqualTo("of any");
        assertThat(sharers.shared.cancel("of the entry")).isTrue();
      }
    }
  }

  @Test
  @Tag("AV-157")
  @DisplayName("Where there are authorization keys, no receives are shared")
  void notWithKeys() {
    try (Rig keyed = Rig.holding(hints(Progress.MANUAL), Rig.key(1))) {
      assertRefused(
          Errno.ENOSYS,
          "endpoints with keys share no receives",
          () ->
              keyed.domain.openSharedReceiveContext(
                  keyed.domain.info(), SharedReceiveOptions.none()));
      try (Sharers sharers = new Sharers(hints(Progress.MANUAL), 1)) {
        EndpointOptions other =
            EndpointOptions.of(keyed.vector, keyed.queue).withSharedReceives(sharers.shared);
        assertRefused(Errno.EINVAL, "domain", () -> keyed.domain.openReliableEndpoint(other));
      }
    }
  }

  @Test
  @DisplayName("What is missing, and closing in the right order")
  void lifetimes() {
    try (Sharers sharers = new Sharers(hints(Progress.MANUAL), 1)) {
      SharedReceiveContext shared = sharers.shared;
      assertThat(shared.domain()).isEqualTo(sharers.domain);
      assertThatThrownBy(shared::close)
          .isInstanceOfSatisfying(
              FabricBusyException.class,
              busy -> assertThat(busy.holders()).containsExactly(sharers.get(0).endpoint));
      ReliableEndpoint endpoint = sharers.get(0).endpoint;
      assertRefused(
          Errno.EOPNOTSUPP,
          "post them to its shared context",
          () -> endpoint.receive(Rig.buffer(1), "x"));
      assertThat(endpoint.cancel("x")).isFalse();
      EndpointOptions sharing = sharers.sharing(sharers.queue);
      assertRefused(
          Errno.EINVAL,
          "shared receive context",
          () -> sharers.domain.openReliableEndpoint(sharing.withMinMultiReceive(10)));
      assertRefused(
          Errno.ENOCQ,
          "completion queue",
          () ->
              sharers.domain.openReliableEndpoint(
                  EndpointOptions.none().withVector(sharers.vector).withSharedReceives(shared)));
      assertRefused(
          Errno.EINVAL,
          "give 1 or more",
          () -> SharedReceiveOptions.none().withMinMultiReceive(-1));
      sharers.all.removeFirst().close();
      shared.receive(Rig.buffer(1), "for nobody");
      assertThat(shared.cancel("for nobody")).isTrue();
      shared.close();
      shared.close();
      assertRefused(Errno.EINVAL, "closed", () -> shared.receive(Rig.buffer(1), "too late"));
    }
  }

  @Test
  @DisplayName("With SHARED_CONTEXT in the hints an endpoint must be opened with one")
  void mustBeBound() {
    Hints hints = hints(Progress.MANUAL).withReceiveContexts(EndpointAttributes.SHARED_CONTEXT);
    assertThat(Fabrics.info(hints).best().endpoint().receiveContexts())
        .isEqualTo(EndpointAttributes.SHARED_CONTEXT);
    assertThat(
            Fabrics.info(hints.withTransmitContexts(EndpointAttributes.SHARED_CONTEXT)).refusals())
        .anySatisfy(refusal -> assertThat(refusal.reason()).contains("tx_ctx_cnt SHARED_CONTEXT"));
    assertThat(
            Fabrics.info(hints.withProvider("udp").withEndpointType(EndpointType.DGRAM)).offers())
        .isEmpty();
    try (Sharers sharers = new Sharers(hints, 1)) {
      assertRefused(
          Errno.EINVAL,
          "shared receive context",
          () -> sharers.domain.openReliableEndpoint(sharers.vector, sharers.queue));
      assertRefused(
          Errno.EINVAL, "of its own", () -> sharers.domain.openScalableEndpoint(sharers.vector));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName(
      "Directed, tagged, several into one buffer, peeked, withdrawn; in selective queues too")
  void everyKindOfReceive(Hints plain) throws Exception {
    Hints hints = plain.withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.MULTI_RECEIVE);
    try (Sharers sharers =
            new Sharers(hints, 2, SharedReceiveOptions.none().withMinMultiReceive(4));
        Rig one = Rig.reliable(plain);
        Rig two = Rig.reliable(plain)) {
      long ofOne = sharers.vector.insert(one.name());
      sharers.vector.insert(two.name());
      for (Rig rig : List.of(one, two)) {
        rig.vector.insert(sharers.get(0).endpoint.address());
        rig.vector.insert(sharers.get(1).endpoint.address());
      }
      // Directed at a source, whichever endpoint its message comes to.
      for (int to = 0; to < 2; to++) {
        sharers.shared.receiveTagged(
            new TaggedReceiveRequest()
                .memory(Rig.buffer(8))
                .source(ofOne)
                .pattern(TagPattern.exactly(5))
                .context("of one"));
        sharers.shared.receiveTagged(Rig.buffer(8), TagPattern.exactly(5), "of any");
        two.endpoint()
            .injectTagged(new TaggedSendRequest().memory(Rig.message("x")).destination(to).tag(5));
        assertThat(sharers.get(to).next(two).context()).isEqualTo("of any");
        one.endpoint()
            .injectTagged(
                new TaggedSendRequest().memory(Rig.message("y")).destination(1 - to).tag(5));
        assertThat(sharers.get(1 - to).next(one).context()).isEqualTo("of one");
      }
      MemorySegment large = Rig.buffer(12);
      sharers.shared.receive(
          new ReceiveRequest().memory(large).mode(ReceiveMode.SEVERAL_MESSAGES).context("several"));
      one.endpoint().inject(Rig.message("12345"), 0);
      assertThat(sharers.get(0).next(one).flags() & CompletionFlag.MULTI_RECEIVE.mask()).isZero();
      two.endpoint().inject(Rig.message("abcde"), 1);
      assertThat(sharers.get(1).next(two).flags() & CompletionFlag.MULTI_RECEIVE.mask())
          .isNotZero();
      assertThat(Rig.text(large, 10)).isEqualTo("12345abcde");
      // What no message came for is reported by the first.
      sharers.shared.receive(Rig.buffer(1), "withdrawn");
      assertThat(sharers.shared.cancel("withdrawn")).isTrue();
      assertFailed(sharers.get(0).next(), Errno.ECANCELED);
      sharers.shared.receive(
          new ReceiveRequest().memory(Rig.buffer(1)).mode(ReceiveMode.PEEK).context("peek"));
      assertFailed(sharers.get(0).next(), Errno.ENOMSG);
      one.endpoint().inject(Rig.message("found"), 1);
      Completion found = null;
      while (!(found instanceof Completion.Success)) {
        one.move(Duration.ofMillis(1));
        sharers.shared.receive(
            new ReceiveRequest().memory(Rig.buffer(1)).mode(ReceiveMode.PEEK).context("peek"));
        found = sharers.get(1).poll();
        found = found == null ? sharers.get(0).poll() : found;
      }
      assertThat(((Completion.Success) found).length()).isEqualTo(5);
      MemorySegment buffer = Rig.buffer(8);
      sharers.shared.receive(buffer, "taken");
      assertThat(text(sharers.get(1).next(one), buffer)).isEqualTo("found");

      // An entry only where one was asked for, at an endpoint whose queue is selective.
      Sharers.Sharer selective = sharers.open(true);
      long toSelective = one.vector.insert(selective.endpoint.address());
      sharers.shared.receive(Rig.buffer(8), "silent");
      one.endpoint().inject(Rig.message("a"), toSelective);
      sharers.shared.receive(
          new ReceiveRequest().memory(Rig.buffer(8)).context("told").reported(true));
      one.endpoint().inject(Rig.message("b"), toSelective);
      assertThat(selective.next(one).context()).isEqualTo("told");
      sharers.shared.receive(Rig.buffer(8), "told elsewhere");
      one.endpoint().inject(Rig.message("c"), 0);
      assertThat(sharers.get(0).next(one).context()).isEqualTo("told elsewhere");
    }
  }

  private static void assertFailed(Completion completion, Errno errno) {
    assertThat(completion)
        .isInstanceOfSatisfying(
            Completion.Failure.class, failed -> assertThat(failed.errno()).isEqualTo(errno));
  }

  @Test
  @Tag("AV-198")
  @DisplayName(
      "A receive that names a group takes its messages alone, or is refused if it comes early")
  void groups() throws Exception {
    Hints hints = hints(Progress.MANUAL).withMaxGroupId(7);
    long anyInGroup = Handles.anySourceInGroup(3);
    try (Sharers sharers = new Sharers(hints, 0);
        Rig peer = Rig.reliable(hints)) {
      MemorySegment buffer = Rig.buffer(64);
      // Nobody knows yet which bits are a group, and none may become the default group by that.
      assertRefused(
          Errno.EINVAL,
          "none is open yet",
          () ->
              sharers.shared.receive(
                  new ReceiveRequest().memory(buffer).source(anyInGroup).context("early")));
      sharers.shared.receive(buffer, "of group 0");
      Sharers.Sharer sharer = sharers.open(false);
      sharers.shared.receive(
          new ReceiveRequest().memory(buffer).source(anyInGroup).context("of group 3"));
      long to = peer.vector.insert(sharer.endpoint.address());
      peer.endpoint().inject(Rig.message("three"), Handles.inGroup(to, 3));
      assertThat(sharer.next(peer).context()).isEqualTo("of group 3");
      peer.endpoint().inject(Rig.message("none"), to);
      assertThat(sharer.next(peer).context()).isEqualTo("of group 0");
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("An endpoint that is closed leaves the receives to the others, also a half full one")
  void closedInTheMiddle(Hints hints) throws Exception {
    int large = 32 << 20;
    try (Sharers sharers = new Sharers(hints, 2);
        Rig peer = Rig.reliable(hints)) {
      peer.vector.insert(sharers.get(0).endpoint.address());
      peer.vector.insert(sharers.get(1).endpoint.address());
      // Early, to the one that will be closed: gone with it.
      peer.endpoint()
          .sendTagged(new TaggedSendRequest().memory(Rig.message("gone")).destination(0).tag(9));
      MemorySegment buffer = Rig.buffer(large);
      sharers.shared.receive(buffer, "half full");
      MemorySegment message = Rig.buffer(large);
      message.fill((byte) 1);
      peer.endpoint().send(message, 0, "cut");
      while (buffer.get(ValueLayout.JAVA_BYTE, 0) == 0) {
        peer.move(Duration.ZERO);
        sharers.get(0).poll();
      }
      sharers.all.removeFirst().close();
      peer.endpoint().send(Rig.message("whole"), 1, "sent");
      Completion received = sharers.get(0).next(peer);
      assertThat(received.context()).isEqualTo("half full");
      assertThat(text(received, buffer)).isEqualTo("whole");
      sharers.shared.receiveTagged(Rig.buffer(8), TagPattern.exactly(9), "tagged");
      peer.endpoint()
          .sendTagged(new TaggedSendRequest().memory(Rig.message("stays")).destination(1).tag(9));
      assertThat(sharers.get(0).next(peer).context()).isEqualTo("tagged");
    }
  }

  @Test
  @DisplayName("Each endpoint's counters count what comes to it")
  void counters() throws Exception {
    Hints hints = hints(Progress.AUTO);
    try (Sharers sharers = new Sharers(hints, 0);
        Rig peer = Rig.reliable(hints)) {
      List<Counter> counters = new ArrayList<>();
      List<ReliableEndpoint> endpoints = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        counters.add(sharers.domain.openCounter());
        endpoints.add(
            sharers.domain.openReliableEndpoint(
                sharers
                    .sharing(sharers.queue)
                    .withMoreCounters(counters.get(i), CounterFlag.RECEIVE)));
        peer.vector.insert(endpoints.get(i).address());
      }
      for (int i = 0; i < 5; i++) {
        sharers.shared.receive(Rig.buffer(8), i);
        peer.endpoint().inject(Rig.message("x"), i == 4 ? 1 : 0);
      }
      assertThat(counters.get(0).await(4, Rig.PATIENCE)).isTrue();
      assertThat(counters.get(1).await(1, Rig.PATIENCE)).isTrue();
      endpoints.forEach(ReliableEndpoint::close);
      counters.forEach(Counter::close);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Progress.class, names = "UNSPECIFIED", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("Threads of their own: every message is received once, at the endpoint it was for")
  void threads(Progress progress) throws Exception {
    int endpoints = 4;
    int messages = 400;
    try (Sharers sharers = new Sharers(hints(progress), endpoints);
        ExecutorService pool = Executors.newCachedThreadPool()) {
      List<Future<Map<String, Integer>>> received = new ArrayList<>();
      List<Future<?>> senders = new ArrayList<>();
      for (int i = 0; i < endpoints; i++) {
        int own = i;
        received.add(pool.submit(() -> collect(sharers, own, messages)));
        FabricAddress to = sharers.get(i).endpoint.address();
        senders.add(
            pool.submit(() -> {
              try (Rig peer = Rig.reliable(hints(progress))) {
                peer.vector.insert(to);
                for (int m = 0; m < messages; m++) {
                  peer.endpoint().send(Rig.message(own + "/" + m), 0, m);
                  assertThat(peer.next().context()).isEqualTo(m);
                }
                received.get(own).get();
              }
              return null;
            }));
      }
      for (int i = 0; i < endpoints; i++) {
        Map<String, Integer> mine = received.get(i).get();
        for (int m = 0; m < messages; m++) {
          assertThat(mine).containsEntry(i + "/" + m, 1);
        }
        assertThat(mine).hasSize(messages);
      }
      for (Future<?> each : senders) {
        each.get();
      }
    }
  }

  /** Posts a buffer for each message that comes to an endpoint. */
  private static Map<String, Integer> collect(Sharers sharers, int own, int messages)
      throws InterruptedException {
    Map<String, Integer> came = new HashMap<>();
    for (int i = 0; i < messages; i++) {
      MemorySegment buffer = Rig.buffer(64);
      sharers.shared.receive(buffer, buffer);
      Completion received = sharers.get(own).own.read(Rig.PATIENCE);
      assertThat(received).isNotNull();
      came.merge(text(received, (MemorySegment) received.context()), 1, Integer::sum);
    }
    return came;
  }

  /** Joins an endpoint whose queue this thread reads. */
  private static Socket join(RawPeer peer, Sharers.Sharer to) throws Exception {
    Socket socket = RawPeer.connect(to.endpoint.address());
    socket.getOutputStream().write(peer.request(1));
    await(socket, 40, to);
    assertThat(RawPeer.answer(socket)).isEqualTo(1);
    return socket;
  }

  private static void await(Socket socket, int bytes, Sharers.Sharer reading) throws Exception {
    while (socket.getInputStream().available() < bytes) {
      reading.poll();
    }
  }

  @Test
  @DisplayName(
      "What is forgotten with an endpoint makes room for what waits at the others, at once")
  void roomOfOneThatLeaves() throws Exception {
    List<AutoCloseable> all = new ArrayList<>();
    try (Sharers sharers = new Sharers(hints(Progress.MANUAL), 2)) {
      Sharers.Sharer leaving = sharers.get(0);
      Sharers.Sharer staying = sharers.get(1);
      long full = EarlyMessages.STRANGER;
      long strangers = EarlyMessages.defaults().inAll() / TcpLimits.STRANGERS;
      for (long kept = 0; kept < strangers; kept += full) {
        RawPeer peer = new RawPeer();
        all.add(peer);
        Socket socket = join(peer, leaving);
        all.add(socket);
        ByteArrayOutputStream flood = new ByteArrayOutputStream();
        for (int n = 1; n < full / TcpLimits.UNEXPECTED_BLOCK; n++) {
          flood.writeBytes(peer.frame(""));
        }
        flood.writeBytes(peer.frame("", FrameHeader.DELIVERY_COMPLETE));
        socket.getOutputStream().write(flood.toByteArray());
        await(socket, 16, leaving);
      }
      RawPeer peer = new RawPeer();
      all.add(peer);
      Socket socket = join(peer, staying);
      all.add(socket);
      socket.getOutputStream().write(peer.frame("x", FrameHeader.DELIVERY_COMPLETE));
      for (int i = 0; i < 100; i++) {
        assertThat(staying.poll()).isNull();
      }
      assertThat(socket.getInputStream().available()).isZero();
      // Nobody reads the queue of the one that stays; its message is taken in all the same.
      sharers.all.removeFirst().close();
      assertThat(RawPeer.read(socket, 16)).hasSize(16);
      sharers.shared.receive(Rig.buffer(8), "taken");
      assertThat(staying.next().context()).isEqualTo("taken");
    } finally {
      for (AutoCloseable each : all) {
        each.close();
      }
    }
  }
}
