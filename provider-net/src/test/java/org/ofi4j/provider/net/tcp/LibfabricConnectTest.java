// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;

/** Endpoints with one peer, which is a C program on libfabric: both providers that have them. */
class LibfabricConnectTest {
  private static final int DATA = 256;
  private static final int[] SIZES = {0, 1, 127, 128, 4_096, 65_537, 3_000_000};

  static Stream<Arguments> peers() {
    return Stream.of("net", "tcp")
        .flatMap(provider ->
            Stream.of(Progress.MANUAL, Progress.AUTO)
                .map(progress -> Arguments.of(provider, progress)));
  }

  private static byte[] content(long number, int size) {
    byte[] bytes = new byte[size];
    Content.fill(MemorySegment.ofArray(bytes), number);
    return bytes;
  }

  private static String connect(FabricAddress to) {
    return "connect 127.0.0.1 " + ((FabricAddress.SocketAddress4) to).port();
  }

  /** Messages of all sizes in both directions, each with its own content. */
  private static void exchange(MsgSide side, ConnectedEndpoint endpoint, LibfabricPeer peer)
      throws Exception {
    int number = 1_000;
    for (int size : SIZES) {
      MemorySegment sent = MemorySegment.ofArray(content(++number, size));
      peer.ask("receive " + number + " " + size, "posted");
      endpoint.send(sent, Handles.NOT_AVAILABLE, "sent");
      assertThat(peer.ask("await " + number)).isEqualTo("received " + size);
      assertThat(side.success().context()).isEqualTo("sent");
      MemorySegment buffer = Rig.buffer(Math.max(size, 1));
      endpoint.receive(buffer, "received");
      peer.ask("send " + ++number + " " + size, "posted");
      assertThat(peer.ask("await " + number)).isEqualTo("sent");
      Completion.Success received = side.success();
      assertThat(received.context()).isEqualTo("received");
      assertThat(received.length()).isEqualTo(size);
      Content.verify(buffer.asSlice(0, size), number);
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @Tag("AV-214")
  @DisplayName("It connects with all the data there is room for, is accepted, and shuts down")
  void itConnects(String provider, Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress);
        LibfabricPeer peer = LibfabricPeer.start("connected", provider)) {
      peer.meanwhile(side::move);
      PassiveEndpoint passive = side.listen();
      peer.ask(connect(passive.address()) + " 1 " + DATA, "connecting");
      Event.ConnectionRequest request = side.event(Event.ConnectionRequest.class);
      assertThat(request.connectionData()).isEqualTo(content(1, DATA));
      ConnectedEndpoint endpoint = side.endpoint(request.info());
      endpoint.accept(content(2, DATA));
      side.event(Event.Connected.class);
      assertThat(peer.ask("event 2")).isEqualTo("connected " + DATA);
      exchange(side, endpoint, peer);
      endpoint.receive(Rig.buffer(8), "posted");
      peer.ask("shutdown", "down");
      assertThat(side.event(Event.Shutdown.class).source()).isSameAs(endpoint);
      assertThat(side.failure().errno()).isEqualTo(Errno.ECANCELED);
      assertThat(peer.ask("event 0")).isEqualTo("shutdown");
      peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @Tag("AV-214")
  @DisplayName("It accepts with data what we ask for, and hears of the end once")
  void itAccepts(String provider, Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress);
        LibfabricPeer peer = LibfabricPeer.start("connected", provider)) {
      peer.meanwhile(side::move);
      for (int size : new int[] {0, 1, DATA}) {
        ConnectedEndpoint endpoint = side.endpoint();
        endpoint.connect(peer.name(), content(3, size));
        assertThat(peer.ask("event 3")).isEqualTo("request " + size);
        peer.ask("accept 4 " + size, "accepted");
        assertThat(peer.ask("event 0")).isEqualTo("connected 0");
        Event.Connected connected = side.event(Event.Connected.class);
        assertThat(connected.connectionData()).isEqualTo(content(4, size));
        assertThat(endpoint.peer()).isEqualTo(peer.name());
        if (size == DATA) {
          exchange(side, endpoint, peer);
        }
        peer.ask("receive " + size + " 64", "posted");
        endpoint.shutdown();
        side.event(Event.Shutdown.class);
        assertThat(peer.ask("await " + size)).isEqualTo("failed " + Errno.ECANCELED.number());
        assertThat(peer.ask("event 0")).isEqualTo("shutdown");
        peer.ask("close", "closed");
      }
      peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @DisplayName("A rejection carries its data in both directions")
  void rejections(String provider, Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress);
        LibfabricPeer peer = LibfabricPeer.start("connected", provider)) {
      peer.meanwhile(side::move);
      PassiveEndpoint passive = side.listen();
      for (int size : new int[] {0, 5, DATA}) {
        ConnectedEndpoint endpoint = side.endpoint();
        endpoint.connect(peer.name());
        assertThat(peer.ask("event 0")).isEqualTo("request 0");
        peer.ask("reject 6 " + size, "rejected");
        Event.Failure rejected = side.event(Event.Failure.class);
        assertThat(rejected.source()).isSameAs(endpoint);
        assertThat(rejected.errno()).isEqualTo(Errno.ECONNREFUSED);
        assertThat(rejected.errorData()).isEqualTo(content(6, size));

        peer.ask(connect(passive.address()) + " 0 0", "connecting");
        Event.ConnectionRequest request = side.event(Event.ConnectionRequest.class);
        assertThat(request.connectionData()).isEmpty();
        passive.reject(request.info().handle(), content(7, size));
        assertThat(peer.ask("event 7"))
            .isEqualTo("failed " + Errno.ECONNREFUSED.number() + " " + size);
        peer.ask("close", "closed");
      }
      peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("peers")
  @DisplayName("When it is killed what is posted fails, and the end is told once")
  void itIsKilled(String provider, Progress progress) throws Exception {
    try (MsgSide side = new MsgSide(progress);
        LibfabricPeer peer = LibfabricPeer.start("connected", provider)) {
      peer.meanwhile(side::move);
      ConnectedEndpoint endpoint = side.endpoint();
      endpoint.connect(peer.name());
      assertThat(peer.ask("event 0")).isEqualTo("request 0");
      peer.ask("accept 0 0", "accepted");
      side.event(Event.Connected.class);
      endpoint.receive(Rig.buffer(8), "posted");
      peer.process().destroyForcibly();
      assertThat(side.failure().errno()).isEqualTo(Errno.ECANCELED);
      assertThat(side.event(Event.Shutdown.class).source()).isSameAs(endpoint);
    }
  }
}
