// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;
import org.ofi4j.WriteRequest;

/**
 * Endpoints over the libfabric that demands much. Each scenario closes all that it opens, and
 * nothing may be complained of.
 */
final class DemandingProgram {
  private static final long[] SIZES = {0, 1, 31, 32, 33, 64, 4_095, 4_096, 65_537, 1 << 20};

  private final String domain;
  private final Progress progress;

  private DemandingProgram(String domain, Progress progress) {
    this.domain = domain;
    this.progress = progress;
  }

  /** What can be done with a rig. */
  private interface Use {
    void of(Rig rig) throws Exception;
  }

  private static final int MANY_PEERS = 200;

  /** The number of an endpoint that is not there. */
  private static final int FAR = 1 << 29;

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String domain : List.of("efa", "cxi")) {
      for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
        new DemandingProgram(domain, progress).addTo(scenarios);
      }
    }
    scenarios.add("room in front of messages is demanded of nobody here", DemandingProgram::prefix);
    scenarios.runAndExit();
  }

  private void addTo(Scenarios scenarios) {
    add(scenarios, "messages of all sizes", this::messages);
    add(scenarios, "tagged messages, received in another order", this::tagged);
    add(scenarios, "immediate data", this::immediateData);
    add(scenarios, "withdrawn receives", this::cancelled);
    add(scenarios, "messages that are too long", this::truncated);
    add(scenarios, "counters without a queue", this::counters);
    add(scenarios, "errors that are reported", this::injectedErrors);
    add(scenarios, "a peer that is absent", this::absentPeer);
    if (progress == Progress.MANUAL) {
      // Else it is read so often that the peer counts as absent before it is there.
      add(scenarios, "a peer that comes late", this::latePeer);
    }
    add(scenarios, "entries that are removed", this::removed);
    add(scenarios, "several endpoints on one queue", this::severalEndpoints);
    add(scenarios, "completions that are asked for", this::selective);
    add(scenarios, "more messages than fit", this::manyMessages);
    add(scenarios, "injected messages", this::injected);
    add(scenarios, "closing with everything under way", this::closing);
    add(scenarios, "memory that the domain allocates", this::allocated);
    add(scenarios, "injected memory that the domain allocates", this::injectedAllocated);
    scenarios.add(
        name("sources of messages"),
        () -> with(hints().withMoreCapabilities(Capability.SOURCE), this::sources));
    Hints remote = hints().withMoreCapabilities(Capability.RMA);
    scenarios.add(
        name("many peers, of which libfabric knows each"),
        () -> with(hints().withMoreCapabilities(Capability.SOURCE), this::manyPeers));
    if (progress == Progress.MANUAL) {
      // Else the message is read before the place is taken.
      scenarios.add(
          name("a message of a peer whose place another one has taken"),
          () -> with(hints().withMoreCapabilities(Capability.SOURCE), this::takenPlace));
    }
    scenarios.add(
        name("remote memory"), () -> with(remote, server -> remoteMemory(remote, server)));
    MatchingProgram.addClaims(scenarios, name(""), hints(), (hints, use) -> with(hints, use::of));
    MatchingProgram.addDirected(scenarios, name(""), hints(), (hints, use) -> with(hints, use::of));
  }

  private void add(Scenarios scenarios, String what, Use use) {
    scenarios.add(name(what), () -> with(hints(), use));
  }

  private String name(String what) {
    return "%s, %s: %s".formatted(domain, progress, what);
  }

  private Hints hints() {
    return Hints.reliable()
        .withProvider(Demanding.PROVIDER)
        .withDomain(domain)
        .withCapabilities(Capability.MSG, Capability.TAGGED)
        .withProgress(progress);
  }

  private static void with(Hints hints, Use use) throws Exception {
    Demanding.reset();
    try (Rig rig = new Rig(hints)) {
      use.of(rig);
      Demanding.assertContent();
    }
    Demanding.assertNothingLive();
  }

  /** Posts until there is room, and moves data meanwhile. */
  private interface Post {
    boolean tried();
  }

  private static void until(Rig rig, Post post) {
    while (!post.tried()) {
      rig.move();
    }
  }

  private static void send(Rig rig, ReliableEndpoint from, MemorySegment what, long to, Object as) {
    until(rig, () -> from.trySend(what, to, as));
  }

  private static void receive(Rig rig, ReliableEndpoint by, MemorySegment into, Object as) {
    until(rig, () -> by.tryReceive(into, as));
  }

  private void messages(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toOne = rig.insert(one);
    long toTwo = rig.insert(two);
    int seed = 0;
    for (long size : SIZES) {
      for (boolean heap : new boolean[] {true, false}) {
        MemorySegment sent = heap ? MemorySegment.ofArray(new byte[(int) size]) : memory(size);
        MemorySegment got = heap ? memory(size + 9) : MemorySegment.ofArray(new byte[(int) size]);
        for (boolean back : new boolean[] {false, true}) {
          receive(rig, back ? one : two, got, "received");
          pattern(sent, ++seed);
          send(rig, back ? two : one, sent, back ? toOne : toTwo, "sent");
          // The message is what it was when it was sent.
          sent.fill((byte) 0);
          rig.success("sent");
          Completion.Success received = rig.success("received");
          assertThat(received.length()).isEqualTo(size);
          assertThat(received.source()).isEqualTo(Handles.NOT_AVAILABLE);
          assertPattern(got, size, seed);
        }
      }
    }
  }

  private void tagged(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    int count = 6;
    MemorySegment[] buffers = new MemorySegment[count];
    Integer[] contexts = {0, 1, 2, 3, 4, 5};
    for (int i = count - 1; i >= 0; i--) {
      MemorySegment buffer = memory(100);
      buffers[i] = buffer;
      TaggedReceiveRequest request =
          new TaggedReceiveRequest()
              .memory(buffer)
              .pattern(TagPattern.exactly(i << 8).withIgnored(0xFF))
              .context(contexts[i]);
      until(rig, () -> two.tryReceiveTagged(request));
    }
    for (int i = 0; i < count; i++) {
      MemorySegment message = pattern(memory(50 + i), i);
      long tag = i << 8 | 0x40 + i;
      until(
          rig,
          () ->
              one.trySendTagged(
                  new TaggedSendRequest()
                      .memory(message)
                      .destination(toTwo)
                      .tag(tag)
                      .context("sent")));
    }
    for (int i = 0; i < count; i++) {
      Completion.Success received = rig.success(contexts[i]);
      assertThat(received.tag()).isEqualTo(i << 8 | 0x40 + i);
      assertThat(received.length()).isEqualTo(50 + i);
      assertPattern(buffers[i], 50 + i, i);
      rig.success("sent");
    }
  }

  private void immediateData(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    boolean four = domain.equals("efa");
    long data = four ? 0xFEDC_BA98L : 0xFEDC_BA98_7654_3210L;
    receive(rig, two, memory(10), "received");
    until(rig, () -> one.trySend(request(toTwo, data)));
    assertThat(rig.success("received").data()).isEqualTo(data);
    rig.success("data");
    TaggedReceiveRequest tagged =
        new TaggedReceiveRequest()
            .memory(memory(10))
            .pattern(TagPattern.exactly(7))
            .context("tagged");
    until(rig, () -> two.tryReceiveTagged(tagged));
    TaggedSendRequest injected =
        new TaggedSendRequest().memory(memory(3)).destination(toTwo).tag(7).data(data);
    until(rig, () -> one.tryInjectTagged(injected));
    Completion.Success received = rig.success("tagged");
    assertThat(received.data()).isEqualTo(data);
    assertThat(received.tag()).isEqualTo(7);
    if (four) {
      assertThatThrownBy(() -> one.trySend(request(toTwo, 1L << 32)))
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("4 bytes");
    }
  }

  private static SendRequest request(long to, long data) {
    return new SendRequest()
        .memory(MemorySegment.ofArray(new byte[3]))
        .destination(to)
        .data(data)
        .context("data");
  }

  private void cancelled(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    MemorySegment kept = memory(10);
    receive(rig, two, memory(10), "first");
    receive(rig, two, kept, "second");
    receive(rig, two, memory(10), "third");
    assertThat(two.cancel("first")).isTrue();
    assertThat(two.cancel("third")).isTrue();
    assertThat(two.cancel("none")).isFalse();
    send(rig, one, pattern(memory(10), 3), toTwo, "sent");
    for (String each : List.of("first", "third")) {
      assertThat(rig.failure(each).errno()).isEqualTo(Errno.ECANCELED);
    }
    assertThat(rig.success("second").length()).isEqualTo(10);
    assertPattern(kept, 10, 3);
    assertThat(two.cancel("second")).isFalse();
    rig.success("sent");
    assertThat(two.statistics().outstandingReceives()).isZero();
  }

  private void truncated(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    MemorySegment buffer = memory(100);
    receive(rig, two, buffer.asSlice(0, 60), "received");
    send(rig, one, pattern(memory(90), 5), toTwo, "sent");
    Completion.Failure failure = rig.failure("received");
    assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
    assertThat(failure.overflow()).isEqualTo(30);
    assertThat(buffer.asSlice(60).mismatch(memory(40))).isEqualTo(-1);
    rig.next("sent");
  }

  private void counters(Rig rig) throws Exception {
    try (Counter sends = rig.domain.openCounter();
        Counter receives = rig.domain.openCounter();
        ReliableEndpoint one =
            rig.domain.openReliableEndpoint(
                EndpointOptions.none()
                    .withVector(rig.vector)
                    .withMoreCounters(sends, CounterFlag.SEND)
                    .withMoreCounters(receives, CounterFlag.RECEIVE))) {
      long toOne = rig.insert(one);
      MemorySegment buffer = memory(40);
      for (int i = 1; i <= 20; i++) {
        while (!one.tryReceive(buffer, null)) {
          receives.read();
        }
        MemorySegment message = pattern(memory(40), i);
        while (!one.trySend(message, toOne, null)) {
          sends.read();
        }
        assertThat(receives.await(i, Rig.PATIENCE)).isTrue();
        assertThat(sends.await(i, Rig.PATIENCE)).isTrue();
        assertPattern(buffer, 40, i);
      }
      assertThat(sends.read()).isEqualTo(20);
      assertThat(receives.read()).isEqualTo(20);
      assertThat(sends.readErrors() + receives.readErrors()).isZero();
    }
  }

  private void injectedErrors(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    Demanding.failEvery(3);
    int failed = 0;
    MemorySegment buffer = memory(64);
    for (int i = 1; i <= 12; i++) {
      boolean fails = i % 3 == 0;
      if (!fails) {
        receive(rig, two, buffer, "received");
      }
      send(rig, one, pattern(memory(64), i), toTwo, "sent");
      if (fails) {
        Completion.Failure failure = rig.failure("sent");
        assertThat(failure.errno()).isEqualTo(Errno.EIO);
        assertThat(failure.providerErrno()).isEqualTo(42);
        assertThat(failure.reason()).contains("libfabric");
        failed++;
      } else {
        rig.success("sent");
        rig.success("received");
        assertPattern(buffer, 64, i);
      }
    }
    assertThat(failed).isEqualTo(4);
    assertThat(one.statistics().sends().failed()).isEqualTo(4);
    assertThat(one.statistics().sends().succeeded()).isEqualTo(8);
  }

  /** It is to be tried again for some time, and then unreachable; others get theirs meanwhile. */
  private void absentPeer(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    long toNobody = rig.vector.insert(numbered(one.address(), 1 << 30));
    MemorySegment buffer = memory(8);
    send(rig, one, pattern(memory(8), 1), toNobody, "lost");
    send(rig, one, pattern(memory(8), 2), toNobody, "lost too");
    receive(rig, two, buffer, "received");
    send(rig, one, pattern(memory(8), 3), toTwo, "sent");
    rig.success("received");
    assertPattern(buffer, 8, 3);
    rig.success("sent");
    for (String each : List.of("lost", "lost too")) {
      Completion.Failure failure = rig.failure(each);
      assertThat(failure.errno()).isEqualTo(Errno.EHOSTUNREACH);
      assertThat(failure.reason()).isNotBlank();
    }
    assertThat(one.statistics().outstandingTransmits()).isZero();
  }

  private void latePeer(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    // The numbers of endpoints are counted.
    FabricAddress next = numbered(two.address(), number(two.address()) + 1);
    long toThree = rig.vector.insert(next);
    for (int i = 0; i < 3; i++) {
      send(rig, one, pattern(memory(30), i), toThree, "sent");
    }
    ReliableEndpoint three = rig.endpoint();
    assertThat(three.address()).isEqualTo(next);
    for (int i = 0; i < 3; i++) {
      MemorySegment buffer = memory(30);
      receive(rig, three, buffer, "received");
      assertThat(rig.success("received").length()).isEqualTo(30);
      assertPattern(buffer, 30, i);
      rig.success("sent");
    }
  }

  private FabricAddress numbered(FabricAddress other, int number) {
    byte[] bytes = other.toBytes();
    MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_INT_UNALIGNED, numberOffset(), number);
    return FabricAddress.of(other.format(), bytes);
  }

  private int number(FabricAddress address) {
    return MemorySegment.ofArray(address.toBytes())
        .get(ValueLayout.JAVA_INT_UNALIGNED, numberOffset());
  }

  private long numberOffset() {
    return domain.equals("efa") ? 20 : 0;
  }

  private void removed(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    for (int i = 0; i < 5; i++) {
      MemorySegment buffer = memory(16);
      receive(rig, two, buffer, "received");
      send(rig, one, pattern(memory(16), i), toTwo, "sent");
      rig.vector.remove(toTwo);
      rig.success("sent");
      rig.success("received");
      assertPattern(buffer, 16, i);
      long gone = toTwo;
      assertThatThrownBy(() -> one.trySend(memory(1), gone, null))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      toTwo = rig.insert(two);
    }
  }

  private void severalEndpoints(Rig rig) throws Exception {
    int count = 5;
    List<ReliableEndpoint> all = new ArrayList<>();
    long[] handles = new long[count];
    for (int i = 0; i < count; i++) {
      all.add(rig.endpoint());
      handles[i] = rig.insert(all.get(i));
    }
    for (int from = 0; from < count; from++) {
      for (int to = 0; to < count; to++) {
        int seed = from * count + to;
        MemorySegment buffer = memory(200);
        receive(rig, all.get(to), buffer, "received");
        send(rig, all.get(from), pattern(memory(200), seed), handles[to], "sent");
        rig.success("received");
        rig.success("sent");
        assertPattern(buffer, 200, seed);
      }
    }
    all.forEach(each -> {
      assertThat(each.statistics().sends().succeeded()).isEqualTo(count);
      assertThat(each.statistics().receives().bytes()).isEqualTo(200L * count);
    });
  }

  private void selective(Rig rig) throws Exception {
    ReliableEndpoint one =
        rig.endpoint(
            EndpointOptions.none()
                .withVector(rig.vector)
                .withReceiveQueue(rig.queue)
                .withSelectiveTransmitQueue(rig.queue));
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    for (int i = 0; i < 30; i++) {
      boolean reported = i % 3 == 0;
      MemorySegment buffer = memory(20);
      receive(rig, two, buffer, "received");
      SendRequest request =
          new SendRequest()
              .memory(pattern(memory(20), i))
              .destination(toTwo)
              .reported(reported)
              .context(reported ? "asked for" : "not asked for");
      until(rig, () -> one.trySend(request));
      rig.success("received");
      assertPattern(buffer, 20, i);
      if (reported) {
        rig.success("asked for");
      }
    }
    while (one.statistics().outstandingTransmits() > 0) {
      rig.move();
    }
    assertThat(rig.next(Duration.ofMillis(1))).isNull();
  }

  private void manyMessages(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    int count = 500;
    MemorySegment buffers = memory(4L * count);
    int sent = 0;
    int posted = 0;
    int ended = 0;
    int received = 0;
    while (ended < count || received < count) {
      while (posted < count && two.tryReceive(buffers.asSlice(4L * posted, 4), "received")) {
        posted++;
      }
      while (sent < count && one.trySend(pattern(memory(4), sent), toTwo, "sent")) {
        sent++;
      }
      Completion next = rig.next();
      assertThat(next).isInstanceOf(Completion.Success.class);
      if (next.context().equals("sent")) {
        ended++;
      } else {
        received++;
      }
    }
    for (int i = 0; i < count; i++) {
      assertPattern(buffers.asSlice(4L * i, 4), 4, i);
    }
  }

  private void injected(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    for (int i = 0; i < 100; i++) {
      // Whatever the fabric injects, 4 KiB can be.
      int size = 41 * i;
      MemorySegment buffer = memory(4_096);
      receive(rig, two, buffer, "received");
      MemorySegment message = pattern(memory(size), i);
      until(rig, () -> one.tryInject(message, toTwo));
      message.fill((byte) 0);
      assertThat(rig.success("received").length()).isEqualTo(size);
      assertPattern(buffer, size, i);
    }
    while (one.statistics().outstandingTransmits() > 0) {
      rig.move();
    }
    assertThat(one.statistics().sends().succeeded()).isEqualTo(100);
  }

  /** Receives, messages that nobody receives, and some that wait for a peer. */
  private void closing(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    long toNobody = rig.vector.insert(numbered(one.address(), 1 << 30));
    MemorySegment message = memory(5_000);
    for (int i = 0; i < 3; i++) {
      one.tryReceive(message, "never");
      two.tryReceiveTagged(message, TagPattern.exactly(9), "never");
      one.trySend(message, toTwo, "under way");
      one.trySend(message, toNobody, "waits");
      two.tryInject(memory(40), toNobody);
    }
    assertThat(one.statistics().outstandingReceives()).isPositive();
  }

  /** Its memory is lent to the fabric as it is, and stays until the last operation has ended. */
  private void allocated(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    try (TransferMemory sent = rig.domain.allocate(9_000)) {
      for (int i = 0; i < 3; i++) {
        TransferMemory taken = rig.domain.allocate(9_000);
        MemorySegment into = taken.segment();
        receive(rig, two, into, "received");
        send(rig, one, pattern(sent.segment(), i), toTwo, "sent");
        rig.success("sent");
        assertThat(rig.success("received").length()).isEqualTo(9_000);
        assertPattern(into, 9_000, i);
        until(rig, () -> two.tryReceiveTagged(into, TagPattern.exactly(1), "never"));
        taken.close();
      }
    }
  }

  /** An injected message may be changed at once, and so is copied. */
  private void injectedAllocated(Rig rig) throws Exception {
    ReliableEndpoint one = rig.endpoint();
    ReliableEndpoint two = rig.endpoint();
    long toTwo = rig.insert(two);
    MemorySegment into = memory(64);
    try (TransferMemory memory = rig.domain.allocate(64)) {
      MemorySegment message = pattern(memory.segment(), 1);
      receive(rig, two, into, "received");
      until(rig, () -> one.tryInject(message, toTwo));
      message.fill((byte) 0);
      rig.success("received");
      assertPattern(into, 64, 1);
    }
  }

  /** A server whose memory a client of another domain writes and reads. */
  private void remoteMemory(Hints hints, Rig server) throws Exception {
    ReliableEndpoint owner = server.endpoint();
    try (Rig client = new Rig(hints);
        TransferMemory memory = server.domain.allocate(100_000);
        MemoryRegion region =
            server.domain.register(memory.segment(), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
      ReliableEndpoint endpoint = client.endpoint();
      long toOwner = client.insert(owner);
      RemotePlace place = region.place();
      int seed = 0;
      for (int size : new int[] {1, 33, 4_096, 100_000}) {
        memory.segment().fill((byte) 0);
        MemorySegment from = pattern(MemorySegment.ofArray(new byte[size]), ++seed);
        until(client, () -> endpoint.tryWrite(from, toOwner, place, "written"));
        client.success("written");
        assertPattern(memory.segment(), size, seed);
        pattern(memory.segment(), ++seed);
        MemorySegment into = memory(size);
        until(client, () -> endpoint.tryRead(into, toOwner, place, "read"));
        client.success("read");
        assertPattern(into, size, seed);
      }
      WriteRequest told =
          new WriteRequest()
              .memory(pattern(memory(50), 99))
              .destination(toOwner)
              .place(place, 1_000)
              .data(0xFEDC_BA98L)
              .context("told");
      until(client, () -> endpoint.tryWrite(told));
      client.success("told");
      Completion.Success seen = (Completion.Success) server.next();
      assertThat(seen.data()).isEqualTo(0xFEDC_BA98L);
      assertThat(seen.flags() & CompletionFlag.REMOTE_WRITE.mask()).isPositive();
      assertPattern(memory.segment().asSlice(1_000), 50, 99);
      MemorySegment injected = pattern(memory(64), 7);
      until(client, () -> endpoint.tryInjectWrite(injected, toOwner, place));
      while (endpoint.statistics().outstandingTransmits() > 0) {
        client.move();
      }
      assertPattern(memory.segment(), 64, 7);
    }
  }

  private void sources(Rig rig) throws Exception {
    ReliableEndpoint to = rig.endpoint();
    List<ReliableEndpoint> senders = List.of(rig.endpoint(), rig.endpoint(), rig.endpoint());
    long[] handles = senders.stream().mapToLong(rig::insert).toArray();
    long own = rig.insert(to);
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < handles.length; i++) {
        receive(rig, to, memory(10), "received");
        send(rig, senders.get(i), memory(10), own, "sent");
        assertThat(rig.success("received").source()).isEqualTo(handles[i]);
        rig.success("sent");
      }
    }
    rig.vector.remove(handles[1]);
    receive(rig, to, memory(10), "received");
    send(rig, senders.get(1), memory(10), own, "sent");
    assertThat(rig.success("received").source()).isEqualTo(Handles.NOT_AVAILABLE);
    rig.success("sent");
  }

  /** As many as have libfabric's vector looked through several times. */
  private void manyPeers(Rig rig) throws Exception {
    ReliableEndpoint from = rig.endpoint();
    long[] handles = new long[MANY_PEERS];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = rig.vector.insert(numbered(from.address(), FAR + i));
    }
    for (int each : new int[] {0, 63, 64, 65, 128, 129, MANY_PEERS - 1}) {
      send(rig, from, memory(8), handles[each], "lost");
      assertThat(rig.failure("lost").errno()).isEqualTo(Errno.EHOSTUNREACH);
    }
  }

  private void takenPlace(Rig rig) throws Exception {
    ReliableEndpoint to = rig.endpoint();
    ReliableEndpoint from = rig.endpoint();
    long sender = rig.insert(from);
    receive(rig, to, memory(8), "received");
    // It is in libfabric's queue from now on, and nobody reads that.
    from.send(memory(8), rig.insert(to), "sent");
    rig.vector.remove(sender);
    for (int i = 0; i < MANY_PEERS; i++) {
      rig.vector.insert(numbered(from.address(), FAR + i));
    }
    assertThat(rig.success("received").source()).isEqualTo(Handles.NOT_AVAILABLE);
    rig.success("sent");
  }

  /** Neither where it is not demanded of us, nor where it is demanded of everybody. */
  private static void prefix() throws Exception {
    Demanding.reset();
    for (boolean everybody : new boolean[] {false, true}) {
      Demanding.offerPrefix(everybody);
      InfoAnswer answer = Fabrics.info(Hints.latest().withProvider(Demanding.PROVIDER));
      assertThat(answer.offers())
          .extracting(offer -> offer.domain().name())
          .containsExactly("efa", "cxi");
      InfoAnswer datagrams = Fabrics.info(Hints.datagram().withProvider(Demanding.PROVIDER));
      assertThat(datagrams.offers()).isEmpty();
      assertThat(datagrams.refusals()).singleElement();
    }
    Demanding.assertNothingLive();
  }
}
