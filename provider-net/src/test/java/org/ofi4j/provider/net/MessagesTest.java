// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.provider.net.endpoint.SocketAddresses;

/** Messages between endpoints, and between an endpoint and a plain socket. */
class MessagesTest {
  private static final long SENT = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND);

  private static final long RECEIVED = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @Tag("AV-003")
  @Tag("AV-185")
  @DisplayName("A message reaches the endpoint that its handle names, and reports its sender")
  void exchange(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      long toOne = rig.insert(one);
      long toTwo = rig.insert(two);
      MemorySegment buffer = Rig.buffer(64);
      two.receive(buffer, "receive");
      one.send(Rig.message("hello, world"), toTwo, "send");

      Completion sent = null;
      Completion received = null;
      for (int i = 0; i < 2; i++) {
        Completion next = rig.next();
        if ("send".equals(next.context())) {
          sent = next;
        } else {
          received = next;
        }
      }
      assertThat(sent).isEqualTo(Completion.Success.of("send", SENT).build());
      assertThat(received)
          .isEqualTo(Completion.Success.of("receive", RECEIVED).length(12).source(toOne).build());
      assertThat(Rig.text(buffer, 12)).isEqualTo("hello, world");
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Lengths from nothing to the most that UDP carries arrive byte for byte")
  void lengths(Hints kind) throws Exception {
    long seed = 20260726;
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      int most = (int) rig.domain.info().endpoint().maxMessageSize();
      for (int length : new int[] {0, 1, 2, 1_472, 1_473, 9_000, most - 1, most, 0}) {
        byte[] bytes = new byte[length];
        new Random(seed + length).nextBytes(bytes);
        MemorySegment buffer = Rig.buffer(most);
        one.receive(buffer, buffer);
        one.send(MemorySegment.ofArray(bytes), self, "send");
        Completion.Success received = Rig.success(rig.nextOf(buffer));
        assertThat(received.length()).isEqualTo(length);
        assertThat(
                MemorySegment.mismatch(buffer, 0, length, MemorySegment.ofArray(bytes), 0, length))
            .as("seed " + seed)
            .isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A message too long for its buffer says how much did not fit")
  void truncation(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      MemorySegment buffer = Rig.buffer(5);
      one.receive(buffer, "short");
      one.inject(Rig.message("0123456789ab"), self);
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
                assertThat(failure.context()).isEqualTo("short");
                assertThat(failure.flags()).isEqualTo(RECEIVED);
                assertThat(failure.length()).isEqualTo(5);
                assertThat(failure.overflow()).isEqualTo(7);
                assertThat(failure.source()).isEqualTo(self);
                assertThat(failure.reason()).contains("12 bytes", "5");
              });
      assertThat(Rig.text(buffer, 5)).isEqualTo("01234");
      one.receive(Rig.buffer(0), "none at all");
      one.inject(Rig.message("x"), self);
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);
      one.receive(Rig.buffer(0), "none needed");
      one.inject(Rig.buffer(0), self);
      assertThat(rig.next()).isInstanceOf(Completion.Success.class);
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("Receives are filled in the order of posting")
  void order(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind)) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      for (int i = 0; i < 100; i++) {
        one.receive(Rig.buffer(8), i);
      }
      for (int i = 0; i < 100; i++) {
        one.inject(Rig.buffer(i % 9), self);
      }
      for (int i = 0; i < 100; i++) {
        Completion.Success next = Rig.success(rig.next());
        assertThat(next.context()).isEqualTo(i);
        assertThat(next.length()).isEqualTo(i % 9);
      }
    }
  }

  /** Opens a socket whose calls JUnit can interrupt, unlike those of a socket without a channel. */
  private static DatagramSocket loopbackSocket() throws IOException {
    return DatagramChannel.open().bind(new InetSocketAddress("127.0.0.1", 0)).socket();
  }

  @Test
  @DisplayName("The wire carries the message and nothing else, both ways")
  void plainSocket() throws Exception {
    try (Rig rig = new Rig(Rig.udp());
        DatagramSocket socket = loopbackSocket()) {
      DatagramEndpoint endpoint = rig.datagrams();
      long peer =
          rig.vector.insert(
              FabricAddress.parse("fi_sockaddr_in://127.0.0.1:" + socket.getLocalPort()));
      endpoint.send(Rig.message("from the fabric"), peer, "send");
      assertThat(rig.next().context()).isEqualTo("send");
      DatagramPacket packet = new DatagramPacket(new byte[100], 100);
      socket.receive(packet);
      assertThat(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8))
          .isEqualTo("from the fabric");

      MemorySegment buffer = Rig.buffer(100);
      endpoint.receive(buffer, "receive");
      byte[] answer = "from the socket".getBytes(StandardCharsets.UTF_8);
      socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      Completion.Success received = Rig.success(rig.next());
      assertThat(received.source()).isEqualTo(peer);
      assertThat(Rig.text(buffer, received.length())).isEqualTo("from the socket");
    }
  }

  @Test
  @Tag("AV-129")
  @DisplayName("A send that was accepted ends, although its entry is removed at once")
  void removedAfterSend() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      one.receive(Rig.buffer(8), "receive");
      one.send(Rig.message("x"), self, "send");
      rig.vector.remove(self);
      assertThat(rig.nextOf("send")).isInstanceOf(Completion.Success.class);
      assertThat(Rig.success(rig.nextOf("receive")).source()).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  @Test
  @Tag("AV-180")
  @DisplayName("Removed and inserted again, a peer is reached again, a thousand times over")
  void reinsertion() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      MemorySegment buffer = Rig.buffer(8);
      for (int i = 0; i < 1_000; i++) {
        long self = rig.insert(one);
        one.receive(buffer, "receive");
        one.inject(Rig.message("x"), self);
        assertThat(Rig.success(rig.next()).source()).isEqualTo(self);
        rig.vector.remove(self);
      }
      assertThat(rig.vector.size()).isZero();
    }
  }

  @Test
  @DisplayName("A closed peer costs nothing: no failure, no end of traffic")
  void closedPeer() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint gone = rig.datagrams();
      long self = rig.insert(one);
      long toGone = rig.insert(gone);
      gone.close();
      for (int i = 0; i < 100; i++) {
        one.send(Rig.message("anybody there?"), toGone, "send");
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
      }
      one.receive(Rig.buffer(8), "receive");
      one.inject(Rig.message("alive"), self);
      assertThat(Rig.success(rig.next()).length()).isEqualTo(5);
    }
  }

  @Test
  @DisplayName("A peer that restarts on its port is reached by the same handle")
  void restartedPeer() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      DatagramEndpoint two = rig.datagrams();
      FabricAddress address = two.address();
      long toTwo = rig.insert(two);
      for (int i = 0; i < 100; i++) {
        two.close();
        two = rig.datagrams(rig.domain.info().withSource(address));
        two.receive(Rig.buffer(8), i);
        one.inject(Rig.message("again"), toTwo);
        assertThat(rig.next().context()).isEqualTo(i);
      }
    }
  }

  @Test
  @DisplayName("Memory freed while it is posted costs its own operation and no message")
  void freedBuffer() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      try (Arena arena = Arena.ofConfined()) {
        one.receive(arena.allocate(8), "freed");
      }
      one.receive(Rig.buffer(8), "fine");
      one.inject(Rig.message("kept"), self);
      assertThat(rig.next())
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
                assertThat(failure.context()).isEqualTo("freed");
                assertThat(failure.reason()).contains("freed");
              });
      assertThat(Rig.success(rig.next()).length()).isEqualTo(4);
    }
  }

  @Test
  @DisplayName("A confined buffer fails when another thread reads; the message takes the next one")
  void confinedBuffer() throws Exception {
    try (Rig rig = new Rig(Rig.udp());
        Arena arena = Arena.ofConfined();
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      MemorySegment confined = arena.allocate(8);
      one.receive(confined, "confined");
      one.receive(Rig.buffer(8), "shared");
      one.inject(Rig.message("kept"), self);
      Completion failure = other.submit(() -> rig.next()).get();
      assertThat(failure)
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failed -> {
                assertThat(failed.errno()).isEqualTo(Errno.EINVAL);
                assertThat(failed.reason()).contains("confined");
              });
      assertThat(Rig.success(rig.next()).length()).isEqualTo(4);
      one.receive(confined, "confined");
      one.inject(Rig.message("mine"), self);
      assertThat(Rig.success(rig.next()).length()).isEqualTo(4);
      assertThat(Rig.text(confined, 4)).isEqualTo("mine");
    }
  }

  @Test
  @DisplayName("Memory of any kind may be posted: heap arrays of any type, native, slices")
  void kindsOfMemory() throws Exception {
    try (Rig rig = new Rig(Rig.udp());
        Arena arena = Arena.ofConfined()) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      MemorySegment[] all = {
        MemorySegment.ofArray(new byte[12]),
        MemorySegment.ofArray(new long[2]),
        arena.allocate(12),
        arena.allocate(100).asSlice(17, 12)
      };
      for (MemorySegment from : all) {
        for (MemorySegment to : all) {
          from.asSlice(0, 12).copyFrom(Rig.message("abcdefghijkl"));
          one.receive(to, "receive");
          one.inject(from.asSlice(0, 12), self);
          if (to != from) {
            to.fill((byte) 0);
          }
          assertThat(Rig.success(rig.next()).length()).isEqualTo(12);
          assertThat(Rig.text(to, 12)).isEqualTo("abcdefghijkl");
        }
      }
    }
  }

  @Test
  @Tag("AV-217")
  @Tag("AV-218")
  @DisplayName("Without directed receives the source of a receive is not looked at")
  void sourceOfReceiveIgnored() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      DatagramEndpoint one = rig.datagrams();
      long self = rig.insert(one);
      for (long source : new long[] {Handles.UNSPECIFIED, self, 12_345, 1L << 63}) {
        one.receive(new ReceiveRequest().memory(Rig.buffer(8)).source(source).context(source));
        one.inject(Rig.message("x"), self);
        assertThat(rig.next().context()).isEqualTo(source);
      }
    }
  }

  @Test
  @DisplayName("An endpoint on every address speaks both families where the format has both")
  void dualStack() throws Exception {
    if (Rig.nodes().size() < 2) {
      return;
    }
    Hints hints =
        Rig.withSource(
                Rig.udp("::1").withAddressFormat(AddressFormat.SOCKADDR), Capability.SOURCE_ERR)
            .withProgress(Progress.MANUAL);
    try (Rig rig = new Rig(hints);
        DatagramSocket socket = loopbackSocket()) {
      DatagramEndpoint everywhere =
          rig.datagrams(
              rig.domain.info().withSource(FabricAddress.parse("fi_sockaddr_in6://[::]:0")));
      int port = SocketAddresses.of(everywhere.address()).getPort();
      everywhere.receive(Rig.buffer(8), "receive");
      socket.send(new DatagramPacket(new byte[3], 3, new InetSocketAddress("127.0.0.1", port)));
      Completion.Failure unknown = (Completion.Failure) rig.next();
      assertThat(unknown.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
      long peer = rig.vector.insert(unknown.senderAddress(AddressFormat.SOCKADDR));
      everywhere.inject(Rig.message("back"), peer);
      socket.receive(new DatagramPacket(new byte[8], 8));
      everywhere.receive(Rig.buffer(8), "receive");
      socket.send(new DatagramPacket(new byte[3], 3, new InetSocketAddress("127.0.0.1", port)));
      assertThat(Rig.success(rig.next()).source()).isEqualTo(peer);
    }
  }
}
