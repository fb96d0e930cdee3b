// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InsertFlag;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.TcpLimits;

/** Who sent a message: receives that are directed at an entry, and what completions report. */
class DirectedReceivesTest {
  private static final Duration BRIEFLY = Duration.ofMillis(100);

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  static List<Hints> directed() {
    return kinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.DIRECTED_RECEIVE))
        .toList();
  }

  private static Hints plain() {
    return Rig.tcp("127.0.0.1", Progress.MANUAL);
  }

  private static void settle(Rig... rigs) throws InterruptedException {
    long end = System.nanoTime() + BRIEFLY.toNanos();
    while (System.nanoTime() - end < 0) {
      for (Rig rig : rigs) {
        rig.move(Duration.ofMillis(1));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("directed")
  @Tag("AV-217")
  @Tag("AV-218")
  @DisplayName("A directed receive takes messages of its source only, others take any")
  void source(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig one = Rig.reliable(hints);
        Rig two = Rig.reliable(hints)) {
      long ofOne = server.insert(one);
      long ofTwo = server.insert(two);
      one.insert(server);
      two.insert(server);
      for (boolean tagged : new boolean[] {false, true}) {
        MemorySegment buffer = Rig.buffer(8);
        if (tagged) {
          server
              .endpoint()
              .receiveTagged(
                  new TaggedReceiveRequest()
                      .memory(buffer)
                      .source(ofTwo)
                      .pattern(TagPattern.exactly(7))
                      .context("of two"));
          server.endpoint().receiveTagged(buffer, TagPattern.any(), "of any");
          one.endpoint()
              .injectTagged(
                  new TaggedSendRequest().memory(Rig.message("one")).destination(0).tag(7));
        } else {
          server
              .endpoint()
              .receive(new ReceiveRequest().memory(buffer).source(ofTwo).context("of two"));
          server.endpoint().receive(buffer, "of any");
          one.endpoint().inject(Rig.message("one"), 0);
        }
        Completion.Success first = Rig.success(server.next(one, two));
        assertThat(first.context()).isEqualTo("of any");
        assertThat(first.source()).isEqualTo(ofOne);
        if (tagged) {
          two.endpoint()
              .injectTagged(
                  new TaggedSendRequest().memory(Rig.message("two")).destination(0).tag(7));
        } else {
          two.endpoint().inject(Rig.message("two"), 0);
        }
        Completion.Success second = Rig.success(server.next(one, two));
        assertThat(second.context()).isEqualTo("of two");
        assertThat(second.source()).isEqualTo(ofTwo);
      }
    }
  }

  @Test
  @Tag("AV-217")
  @DisplayName("Without the capability the source of a receive is not looked at")
  void withoutCapability() throws Exception {
    try (Rig server = Rig.reliable(plain());
        Rig one = Rig.reliable(plain())) {
      server.insert(one);
      one.insert(server);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(77).context("any"));
      one.endpoint().inject(Rig.message("x"), 0);
      assertThat(server.next(one).context()).isEqualTo("any");
    }
  }

  @Test
  @Tag("AV-217")
  @DisplayName("Tagged receives alone may be directed; receives must be with the exact capability")
  void kindsOfCapability() throws Exception {
    Hints tagged = plain().withMoreCapabilities(Capability.TAGGED_DIRECTED_RECEIVE);
    try (Rig server = Rig.reliable(tagged);
        Rig one = Rig.reliable(tagged)) {
      one.insert(server);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(77).context("any"));
      assertThatThrownBy(() ->
              server
                  .endpoint()
                  .receiveTagged(
                      new TaggedReceiveRequest()
                          .memory(Rig.buffer(8))
                          .source(77)
                          .pattern(TagPattern.exactly(0))
                          .context("directed")))
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("source 0x4d names no entry");
      one.endpoint().inject(Rig.message("x"), 0);
      assertThat(server.next(one).context()).isEqualTo("any");
    }
    try (Rig exact =
        Rig.reliable(plain().withMoreCapabilities(Capability.EXACT_DIRECTED_RECEIVE))) {
      long self = exact.insert(exact);
      for (boolean withTag : new boolean[] {false, true}) {
        assertThatThrownBy(
                () -> {
                  if (withTag) {
                    exact.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(0), "any");
                  } else {
                    exact.endpoint().receive(Rig.buffer(8), "any");
                  }
                })
            .isInstanceOfSatisfying(
                FabricException.class,
                refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      }
      exact
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(self).context("self"));
      exact.endpoint().inject(Rig.message("x"), self);
      assertThat(exact.next().context()).isEqualTo("self");
    }
  }

  @ParameterizedTest
  @MethodSource("directed")
  @Tag("AV-129")
  @Tag("AV-217")
  @DisplayName("A receive directed at a removed entry never takes a message of its successor")
  void removedEntry(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig one = Rig.reliable(hints)) {
      long ofOne = server.insert(one);
      one.insert(server);
      MemorySegment buffer = Rig.buffer(8);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(buffer).source(ofOne).context("of the first life"));
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .source(ofOne)
                  .pattern(TagPattern.any())
                  .context("tagged, of the first life"));
      server.vector.remove(ofOne);
      assertThat(server.insert(one)).isEqualTo(ofOne);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(buffer).source(ofOne).context("of the second life"));
      server.endpoint().receiveTagged(buffer, TagPattern.exactly(5), "of any");
      one.endpoint().inject(Rig.message("x"), 0);
      one.endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("x")).destination(0).tag(5));
      assertThat(server.next(one).context()).isEqualTo("of the second life");
      assertThat(server.next(one).context()).isEqualTo("of any");
      assertThat(server.endpoint().cancel("of the first life")).isTrue();
      assertThat(server.endpoint().cancel("tagged, of the first life")).isTrue();
      for (int i = 0; i < 2; i++) {
        assertThat(server.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> assertThat(failure.errno()).isEqualTo(Errno.ECANCELED));
      }
      assertThatThrownBy(
              () -> {
                server.vector.remove(ofOne);
                server
                    .endpoint()
                    .receive(new ReceiveRequest().memory(buffer).source(ofOne).context("too late"));
              })
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("names no entry");
    }
  }

  /** What fi_unexpected_msg of libfabric's tests does. */
  @ParameterizedTest
  @MethodSource("directed")
  @Tag("AV-217")
  @DisplayName("Messages that came before their sender was inserted are attributed to it")
  void insertedAfterwards(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      client.insert(server);
      client
          .endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("first")).destination(0).tag(9));
      client
          .endpoint()
          .injectTagged(
              new TaggedSendRequest().memory(Rig.message("second")).destination(0).tag(9));
      settle(client, server);
      MemorySegment buffer = Rig.buffer(8);
      server.endpoint().receiveTagged(buffer, TagPattern.exactly(9), "any");
      assertThat(Rig.success(server.next(client)).source()).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(Rig.text(buffer, 5)).isEqualTo("first");
      long ofClient = server.insert(client);
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .source(ofClient)
                  .pattern(TagPattern.exactly(9))
                  .context("directed"));
      Completion.Success second = Rig.success(server.next(client));
      assertThat(second.context()).isEqualTo("directed");
      assertThat(second.source()).isEqualTo(ofClient);
      assertThat(Rig.text(buffer, 6)).isEqualTo("second");
      for (int round = 0; round < 10; round++) {
        for (int tag = 0; tag < 4; tag++) {
          client
              .endpoint()
              .injectTagged(
                  new TaggedSendRequest()
                      .memory(Rig.message(round + " " + tag))
                      .destination(0)
                      .tag(tag)
                      .data(tag));
        }
        for (int tag = 3; tag >= 0; tag--) {
          server
              .endpoint()
              .receiveTagged(
                  new TaggedReceiveRequest()
                      .memory(buffer)
                      .source(ofClient)
                      .pattern(TagPattern.exactly(tag))
                      .context(tag));
          assertThat(server.next(client))
              .isInstanceOfSatisfying(
                  Completion.Success.class,
                  message -> assertThat(message.tag()).isEqualTo(message.data()));
          assertThat(Rig.text(buffer, 3)).isEqualTo(round + " " + tag);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-132")
  @Tag("AV-215")
  @Tag("AV-216")
  @DisplayName("An unknown sender's message comes with its address, ready to be inserted")
  void unknownSender(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints.withMoreCapabilities(Capability.SOURCE_ERR));
        Rig client = Rig.reliable(hints)) {
      client.insert(server);
      MemorySegment buffer = Rig.buffer(8);
      for (int life = 0; life < 2; life++) {
        server.endpoint().receive(buffer, "stranger");
        client.endpoint().inject(Rig.message("who"), 0);
        Completion.Failure failure = (Completion.Failure) server.next(client);
        assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
        assertThat(failure.length()).isEqualTo(3);
        assertThat(failure.source()).isEqualTo(Handles.NOT_AVAILABLE);
        assertThat(Rig.text(buffer, 3)).isEqualTo("who");
        MemorySegment handles = MemorySegment.ofArray(new long[1]);
        assertThat(
                server.vector.insert(
                    MemorySegment.ofArray(failure.errorData()), 1, handles, null, 0, null))
            .isEqualTo(1);
        long handle = handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        server.endpoint().receive(buffer, "known");
        client.endpoint().inject(Rig.message("me"), 0);
        assertThat(Rig.success(server.next(client)).source()).isEqualTo(handle);
        server.vector.remove(handle);
      }
    }
  }

  /** What fi_av_xfer of libfabric's tests does, over and over. */
  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-180")
  @DisplayName("After removal and re-insertion messages go both ways")
  void insertedAnew(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      for (int round = 0; round < 100; round++) {
        long toRight = left.insert(right);
        long toLeft = right.insert(left);
        exchange(left, right, toRight, toLeft);
        exchange(right, left, toLeft, toRight);
        left.vector.remove(toRight);
        right.vector.remove(toLeft);
      }
    }
  }

  private static void exchange(Rig from, Rig to, long handle, long source) throws Exception {
    to.endpoint().receive(Rig.buffer(8), "received");
    from.endpoint().inject(Rig.message("x"), handle);
    Completion.Success next = Rig.success(to.next(from));
    assertThat(next.context()).isEqualTo("received");
    assertThat(next.source()).isEqualTo(source);
  }

  @Test
  @DisplayName("A source of the other family is refused, and is called a source")
  void otherFamily() {
    Hints hints =
        plain()
            .withMoreCapabilities(Capability.DIRECTED_RECEIVE)
            .withAddressFormat(AddressFormat.SOCKADDR);
    try (Rig rig = Rig.reliable(hints)) {
      long ipv6 = rig.vector.insert(FabricAddress.parse("fi_sockaddr_in6://[::1]:7471"));
      ReceiveRequest directed = new ReceiveRequest().memory(Rig.buffer(8)).source(ipv6);
      assertThatThrownBy(() -> rig.endpoint().receive(directed))
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("source 0x0 is an IPv6 address")
          .hasMessageContaining("IPv4");
      assertThatThrownBy(() -> rig.endpoint().send(Rig.message("x"), ipv6, null))
          .hasMessageContaining("destination 0x0 is an IPv6 address");
    }
  }

  @Test
  @Tag("AV-103")
  @Tag("AV-187")
  @Tag("AV-188")
  @Tag("AV-189")
  @Tag("AV-190")
  @Tag("AV-191")
  @Tag("AV-192")
  @DisplayName("Ids given at insertion are reported instead of handles, in failures too")
  void insertedIds() throws Exception {
    Hints hints = plain().withMoreCapabilities(Capability.AV_USER_ID, Capability.DIRECTED_RECEIVE);
    try (Rig server = Rig.reliable(hints);
        Rig one = Rig.reliable(hints);
        Rig two = Rig.reliable(hints)) {
      one.insert(server);
      two.insert(server);
      MemorySegment addresses =
          MemorySegment.ofArray(concat(one.name().toBytes(), two.name().toBytes()));
      MemorySegment ids = MemorySegment.ofArray(new long[] {0x10, 0x20});
      assertThatThrownBy(
              () -> server.vector.insert(addresses, 2, null, null, InsertFlag.USER_ID.mask(), null))
          .isInstanceOf(FabricException.class);
      assertThat(server.vector.insert(addresses, 2, ids, null, InsertFlag.USER_ID.mask(), null))
          .isEqualTo(2);
      assertThat(ids.toArray(ValueLayout.JAVA_LONG_UNALIGNED)).containsExactly(0, 1);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(1).context("of two"));
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(1)).source(0).context("of one"));
      assertThatThrownBy(() ->
              server
                  .endpoint()
                  .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(0x10).context("id")))
          .isInstanceOf(FabricException.class);
      assertThatThrownBy(() -> server.endpoint().inject(Rig.message("x"), 0x10))
          .isInstanceOf(FabricException.class);
      one.endpoint().inject(Rig.message("too long"), 0);
      Completion.Failure truncated = (Completion.Failure) server.next(one, two);
      assertThat(truncated.source()).isEqualTo(0x10);
      two.endpoint().inject(Rig.message("x"), 0);
      assertThat(server.next(one, two))
          .isInstanceOfSatisfying(
              Completion.Success.class, message -> assertThat(message.source()).isEqualTo(0x20));
      one.endpoint().receive(Rig.buffer(8), "answer");
      server.endpoint().inject(Rig.message("x"), 0);
      assertThat(one.next(server).context()).isEqualTo("answer");
    }
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = new byte[first.length + second.length];
    System.arraycopy(first, 0, both, 0, first.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  @Tag("AV-096")
  @Tag("AV-176")
  @Tag("AV-193")
  @DisplayName("On a vector opened for ids nothing else is reported")
  void setIds() throws Exception {
    Hints hints = plain().withMoreCapabilities(Capability.SOURCE_ERR, Capability.AV_USER_ID);
    VectorOptions withIds = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    try (Rig server = Rig.reliable(hints, withIds, CompletionQueueOptions.defaults());
        Rig one = Rig.reliable(plain())) {
      one.insert(server);
      AddressVector vector = server.vector;
      long handle = server.insert(one);
      exchange(one, server, 0, Handles.NOT_AVAILABLE);
      vector.setUserId(handle, new UserId(0xDEAD));
      exchange(one, server, 0, 0xDEAD);
      vector.remove(handle);
      assertThat(server.insert(one)).isEqualTo(handle);
      exchange(one, server, 0, Handles.NOT_AVAILABLE);
    }
  }

  @Test
  @Tag("AV-079")
  @DisplayName("A receive directed at the entry for any address takes messages of all")
  void anyAddress() throws Exception {
    Hints first =
        Hints.of(ApiVersion.V1_0)
            .withProvider("tcp")
            .withEndpointType(EndpointType.RDM)
            .withSource("127.0.0.1:0")
            .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.DIRECTED_RECEIVE);
    try (Rig server = Rig.reliable(first);
        Rig one = Rig.reliable(plain());
        Rig two = Rig.reliable(plain())) {
      one.insert(server);
      two.insert(server);
      MemorySegment handles = MemorySegment.ofArray(new long[1]);
      assertThat(server.vector.insert((MemorySegment) null, 1, handles, null, 0, null))
          .isEqualTo(1);
      long any = handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
      long ofTwo = server.insert(two);
      for (int i = 0; i < 2; i++) {
        server
            .endpoint()
            .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(any).context("of any"));
      }
      one.endpoint().inject(Rig.message("x"), 0);
      assertThat(Rig.success(server.next(one, two)).source()).isEqualTo(Handles.NOT_AVAILABLE);
      two.endpoint().inject(Rig.message("x"), 0);
      assertThat(Rig.success(server.next(one, two)).source()).isEqualTo(ofTwo);
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(any).context("gone"));
      server.vector.remove(any);
      server.endpoint().receive(Rig.buffer(8), "unnamed");
      one.endpoint().inject(Rig.message("x"), 0);
      assertThat(server.next(one, two).context()).isEqualTo("unnamed");
      assertThat(FabricAddress.parse(two.name().toString())).isEqualTo(server.vector.lookup(ofTwo));
    }
  }

  private static void assertAccepted(Rig server, Socket socket) throws Exception {
    while (socket.getInputStream().available() == 0) {
      server.move(Duration.ofMillis(1));
    }
    assertThat(RawPeer.answer(socket)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "A receive whose message breaks off waits for the same peer, whoever else comes just then")
  void brokenOffWhileOthersCome() throws Exception {
    try (Rig server = Rig.reliable(plain().withMoreCapabilities(Capability.DIRECTED_RECEIVE));
        RawPeer peer = new RawPeer();
        RawPeer other = new RawPeer()) {
      long handle = server.vector.insert(peer.name());
      server
          .endpoint()
          .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(handle).context("directed"));
      // As many as are kept before those without use are forgotten.
      for (int port = 1; port < 32; port++) {
        long known =
            server.vector.insert(FabricAddress.of(new InetSocketAddress("127.0.0.1", port)));
        server
            .endpoint()
            .receive(new ReceiveRequest().memory(Rig.buffer(8)).source(known).context("cancelled"));
        assertThat(server.endpoint().cancel("cancelled")).isTrue();
        assertThat(server.next().context()).isEqualTo("cancelled");
      }
      Socket first = RawPeer.connect(server.name());
      first.getOutputStream().write(peer.request(1));
      assertAccepted(server, first);
      try (Socket late = RawPeer.connect(server.name())) {
        first.getOutputStream().write(peer.frame("message"), 0, 20);
        // Until nothing is read any more without asking the selector.
        for (int i = 0; i < 2 * TcpLimits.IDLE_READS; i++) {
          server.move(Duration.ZERO);
        }
        // What is ready last acts first.
        late.getOutputStream().write(other.request(1));
        Thread.sleep(BRIEFLY);
        RawPeer.reset(first);
        Thread.sleep(BRIEFLY);
        assertAccepted(server, late);
        try (Socket socket = RawPeer.connect(server.name())) {
          socket.getOutputStream().write(peer.request(2));
          assertAccepted(server, socket);
          socket.getOutputStream().write(peer.frame("again"));
          assertThat(server.next().context()).isEqualTo("directed");
        }
      }
    }
  }
}
