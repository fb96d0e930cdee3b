// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointStatistics.Operations;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.WriteRequest;
import org.ofi4j.provider.net.Rig;

/** What endpoints over TCP count: operations, bytes and connections. */
class StatisticsTest {
  private static final Operations NOTHING = Operations.builder().build();

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  static List<Hints> pairs() {
    return MsgSide.kinds();
  }

  private static Hints ipv4(Progress progress) {
    return Rig.tcp("127.0.0.1", progress);
  }

  private static Operations operations(long succeeded, long failed, long bytes) {
    return Operations.builder().succeeded(succeeded).failed(failed).bytes(bytes).build();
  }

  private static ConnectionStatistics connections(
      long open, long made, long accepted, long failed, long lost, long rejected) {
    return ConnectionStatistics.builder()
        .open(open)
        .made(made)
        .accepted(accepted)
        .failed(failed)
        .lost(lost)
        .rejected(rejected)
        .build();
  }

  private static ConnectionStatistics connections(Rig rig) {
    return rig.endpoint().statistics().connections();
  }

  private static void sent(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
  }

  /** Waits for what the other side does on its own, and not before a completion of this one. */
  private static void eventually(Callable<Boolean> there) {
    await().forever().until(there);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Messages and bytes are counted at both ends, however they go")
  void messages(Hints hints) throws Exception {
    try (Rig sender = Rig.reliable(hints);
        Rig receiver = Rig.reliable(hints)) {
      long peer = sender.insert(receiver);
      receiver.insert(sender);
      int large = 3_000_001; // announced before it is sent
      receiver.endpoint().receive(Rig.buffer(64), "received");
      receiver.endpoint().receive(Rig.buffer(64), "received");
      receiver.endpoint().receive(Rig.buffer(64), "received");
      receiver.endpoint().receiveTagged(Rig.buffer(large), TagPattern.exactly(9), "received");
      assertThat(receiver.endpoint().statistics().outstandingReceives()).isEqualTo(4);

      sender.endpoint().send(Rig.message("hello"), peer, "sent");
      sender
          .endpoint()
          .send(
              new SendRequest()
                  .parts(Rig.message("in "), Rig.message("pieces"))
                  .destination(peer)
                  .context("sent"));
      sender.endpoint().inject(Rig.message("in silence"), peer);
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.buffer(large))
                  .destination(peer)
                  .tag(9)
                  .context("sent"));
      for (int i = 0; i < 4; i++) {
        sent(receiver.next(sender));
      }
      for (int i = 0; i < 3; i++) {
        sent(sender.next(receiver));
      }

      Operations all = operations(4, 0, 5 + 9 + 10 + large);
      assertThat(sender.endpoint().statistics().sends()).isEqualTo(all);
      assertThat(sender.endpoint().statistics().receives()).isEqualTo(NOTHING);
      assertThat(sender.endpoint().statistics().outstandingTransmits()).isZero();
      assertThat(receiver.endpoint().statistics().receives()).isEqualTo(all);
      assertThat(receiver.endpoint().statistics().sends()).isEqualTo(NOTHING);
      assertThat(receiver.endpoint().statistics().outstandingReceives()).isZero();
      assertThat(connections(sender)).isEqualTo(connections(1, 1, 0, 0, 0, 0));
      assertThat(connections(receiver)).isEqualTo(connections(1, 0, 1, 0, 0, 0));
    }
  }

  @Test
  @DisplayName("A message that is too long and a receive that is withdrawn fail; a look is nothing")
  void failures() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.MANUAL))) {
      long self = rig.insert(rig);
      rig.endpoint().receive(Rig.buffer(2), "short");
      rig.endpoint().send(Rig.message("hello"), self, "sent");
      rig.next();
      rig.next();
      rig.endpoint().receive(Rig.buffer(2), "withdrawn");
      assertThat(rig.endpoint().cancel("withdrawn")).isTrue();
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);
      rig.endpoint().receive(new ReceiveRequest().mode(ReceiveMode.PEEK).context("look"));
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);

      assertThat(rig.endpoint().statistics().receives()).isEqualTo(operations(0, 2, 0));
      assertThat(rig.endpoint().statistics().sends()).isEqualTo(operations(1, 0, 5));
      assertThat(rig.endpoint().statistics().outstandingReceives()).isZero();
      // Both ends of the connection to itself.
      assertThat(connections(rig)).isEqualTo(connections(2, 1, 1, 0, 0, 0));
    }
  }

  @Test
  @DisplayName("A buffer for several messages is one receive that is posted, and several that end")
  void severalMessages() throws Exception {
    Hints hints = ipv4(Progress.MANUAL).withMoreCapabilities(Capability.MULTI_RECEIVE);
    try (Rig rig = Rig.reliable(hints, options -> options.withMinMultiReceive(20))) {
      long self = rig.insert(rig);
      rig.endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(Rig.buffer(40))
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("received"));
      rig.endpoint().inject(Rig.message("0123456789"), self);
      sent(rig.next());
      assertThat(rig.endpoint().statistics().receives()).isEqualTo(operations(1, 0, 10));
      assertThat(rig.endpoint().statistics().outstandingReceives()).isEqualTo(1);
      rig.endpoint().inject(Rig.message("0123456789."), self);
      sent(rig.next());
      assertThat(rig.endpoint().statistics().receives()).isEqualTo(operations(2, 0, 21));
      assertThat(rig.endpoint().statistics().outstandingReceives()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Reads and writes are counted where they are posted, and at the memory's side")
  void remoteAccess(Hints hints) throws Exception {
    Hints with = hints.withMoreCapabilities(Capability.RMA);
    try (Rig target = Rig.reliable(with);
        Rig rig = Rig.reliable(with)) {
      long peer = rig.insert(target);
      try (MemoryRegion region =
          target.domain.register(Rig.buffer(100), Access.REMOTE_READ, Access.REMOTE_WRITE)) {
        rig.endpoint()
            .write(
                new WriteRequest()
                    .memory(Rig.buffer(30))
                    .destination(peer)
                    .place(region.place())
                    .context("write")
                    .completes(CompletionLevel.DELIVERED));
        sent(rig.next(target));
        rig.endpoint().injectWrite(Rig.message("in silence"), peer, region.place());
        MemorySegment into = Rig.buffer(70);
        rig.endpoint().read(into, peer, region.place(), "read");
        sent(rig.next(target));

        assertThat(rig.endpoint().statistics().writes()).isEqualTo(operations(2, 0, 40));
        assertThat(rig.endpoint().statistics().reads()).isEqualTo(operations(1, 0, 70));
        assertThat(rig.endpoint().statistics().sends()).isEqualTo(NOTHING);
        assertThat(rig.endpoint().statistics().outstandingTransmits()).isZero();
        eventually(() -> target.endpoint().statistics().remoteReads().equals(operations(1, 0, 70)));
        assertThat(target.endpoint().statistics().remoteWrites()).isEqualTo(operations(2, 0, 40));
        assertThat(target.endpoint().statistics().receives()).isEqualTo(NOTHING);
      }
    }
  }

  @Test
  @DisplayName("A send that has ended and finds no room in the queue is outstanding")
  void fullQueue() throws Exception {
    CompletionQueueOptions one = CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(1);
    try (Rig sender = Rig.reliable(ipv4(Progress.MANUAL), one);
        Rig receiver = Rig.reliable(ipv4(Progress.MANUAL))) {
      long peer = sender.insert(receiver);
      for (int i = 0; i < 3; i++) {
        receiver.endpoint().receive(Rig.buffer(8), "received");
        sender.endpoint().send(Rig.message("hello"), peer, "sent");
      }
      assertThat(sender.endpoint().statistics().outstandingTransmits()).isEqualTo(3);
      for (int i = 0; i < 3; i++) {
        // With a limit of 0 it makes progress and reads nothing.
        while (receiver.next(Duration.ofMillis(1)) == null) {
          sender.queue.poll(Rig.collector(List.of()), 0);
        }
      }
      assertThat(sender.endpoint().statistics().sends()).isEqualTo(operations(3, 0, 15));
      assertThat(sender.endpoint().statistics().outstandingTransmits()).isEqualTo(2);
      assertThat(sender.queue.statistics().waiting()).isEqualTo(1);
      for (int left = 2; left >= 0; left--) {
        sent(sender.next());
      }
      assertThat(sender.endpoint().statistics().outstandingTransmits()).isZero();
      assertThat(sender.queue.statistics().reported()).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("Where nobody listens each attempt fails, and with them the send")
  void attempts() throws Exception {
    FabricAddress gone;
    try (Rig closed = Rig.reliable(ipv4(Progress.AUTO))) {
      gone = closed.name();
    }
    try (Rig rig = Rig.reliable(ipv4(Progress.AUTO), Duration.ofMillis(300))) {
      rig.endpoint().send(Rig.message("hello"), rig.vector.insert(gone), "sent");
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);
      assertThat(rig.endpoint().statistics().sends()).isEqualTo(operations(0, 1, 0));
      assertThat(rig.endpoint().statistics().outstandingTransmits()).isZero();
      ConnectionStatistics connections = connections(rig);
      assertThat(connections.failed()).isGreaterThanOrEqualTo(2);
      assertThat(connections).isEqualTo(connections(0, 0, 0, connections.failed(), 0, 0));
    }
  }

  @Test
  @DisplayName("An attempt fails when its time is up, too")
  void attemptWithoutAnswer() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.AUTO), Duration.ofMillis(100));
        RawPeer silent = new RawPeer()) {
      rig.endpoint().send(Rig.message("hello"), rig.vector.insert(silent.name()), "sent");
      assertThat(rig.next()).isInstanceOf(Completion.Failure.class);
      assertThat(connections(rig)).isEqualTo(connections(0, 0, 0, 1, 0, 0));
    }
  }

  @Test
  @DisplayName("A connection that a peer which was started anew replaces is lost")
  void replaced() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.AUTO));
        RawPeer peer = new RawPeer();
        Socket first = peer.join(rig.name(), 7)) {
      eventually(() -> connections(rig).equals(connections(1, 0, 1, 0, 0, 0)));
      try (Socket second = peer.join(rig.name(), 8)) {
        assertThat(RawPeer.isClosed(first)).isTrue();
        eventually(() -> connections(rig).equals(connections(1, 0, 2, 0, 1, 0)));
        assertThat(second.isConnected()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("A connection whose peer is closed is lost")
  void lost() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.AUTO))) {
      try (Rig peer = Rig.reliable(ipv4(Progress.AUTO))) {
        peer.endpoint().receive(Rig.buffer(8), "received");
        rig.endpoint().send(Rig.message("hello"), rig.insert(peer), "sent");
        sent(rig.next());
        sent(peer.next());
      }
      eventually(() -> connections(rig).equals(connections(0, 1, 0, 0, 1, 0)));
    }
  }

  @Test
  @DisplayName("A connection that both sides need no more is closed, and not lost")
  void idle() throws Exception {
    try (Rig one = Rig.idle(Progress.AUTO, 50, null);
        Rig other = Rig.idle(Progress.AUTO, 50, null)) {
      other.endpoint().receive(Rig.buffer(8), "received");
      one.endpoint()
          .send(Rig.message("hello"), one.vector.insert(other.endpoint().address()), "sent");
      one.next(other);
      eventually(() -> one.endpoint().statistics().connections().open() == 0);
      eventually(() -> other.endpoint().statistics().connections().open() == 0);
      assertThat(one.endpoint().statistics().connections())
          .isEqualTo(connections(0, 1, 0, 0, 0, 0));
      assertThat(other.endpoint().statistics().connections())
          .isEqualTo(connections(0, 0, 1, 0, 0, 0));
    }
  }

  @Test
  @DisplayName("Who sends rubbish is rejected, before it has introduced itself and after that")
  void rejected() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.AUTO));
        RawPeer peer = new RawPeer()) {
      try (Socket stranger = RawPeer.connect(rig.name())) {
        stranger.getOutputStream().write(new byte[40]);
        assertThat(RawPeer.isClosed(stranger)).isTrue();
      }
      eventually(() -> connections(rig).equals(connections(0, 0, 0, 0, 0, 1)));
      try (Socket accepted = peer.join(rig.name(), 7)) {
        accepted.getOutputStream().write(new byte[16]);
        assertThat(RawPeer.isClosed(accepted)).isTrue();
      }
      eventually(() -> connections(rig).equals(connections(0, 0, 1, 0, 1, 2)));
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @DisplayName("An endpoint with one peer counts its one connection, and who has ended it")
  void onePeer(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      MsgSide.Pair pair = client.connect(server, passive);
      pair.server().receive(Rig.buffer(8), "received");
      pair.client().send(Rig.message("hello"), 0, "sent");
      server.success(client);
      client.success(server);
      assertThat(pair.client().statistics().sends()).isEqualTo(operations(1, 0, 5));
      assertThat(pair.server().statistics().receives()).isEqualTo(operations(1, 0, 5));
      assertConnections(pair.client(), connections(1, 1, 0, 0, 0, 0));
      assertConnections(pair.server(), connections(1, 0, 1, 0, 0, 0));

      pair.client().shutdown();
      server.event(Event.Shutdown.class, client);
      assertConnections(pair.client(), connections(0, 1, 0, 0, 0, 0));
      assertConnections(pair.server(), connections(0, 0, 1, 0, 1, 0));

      FabricAddress gone = passive.address();
      ConnectedEndpoint late = client.endpoint();
      late.connect(gone);
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      passive.reject(request.info().handle());
      client.event(Event.Shutdown.class, server);
      client.event(Event.Failure.class, server);
      assertConnections(late, connections(0, 0, 0, 1, 0, 0));
    }
  }

  private static void assertConnections(Endpoint endpoint, ConnectionStatistics expected) {
    assertThat(endpoint.statistics().connections()).isEqualTo(expected);
  }

  @Test
  @DisplayName("Contexts count what they carry out, the scalable endpoint the connections")
  void contexts() throws Exception {
    try (ScalableSide here = ScalableSide.open(ipv4(Progress.MANUAL), 2, 2);
        ScalableSide there = ScalableSide.open(ipv4(Progress.MANUAL), 2, 2)) {
      long peer = here.vector.insert(there.name());
      there.post(1, "received");
      assertThat(there.receives.get(1).endpoint.statistics().outstandingReceives()).isEqualTo(1);
      here.transmits.get(0).endpoint.send(Rig.message("hello"), ScalableSide.at(peer, 1), "sent");
      there.receives.get(1).next(here);
      here.transmits.get(0).next(there);

      Operations one = operations(1, 0, 5);
      assertThat(here.transmits.get(0).endpoint.statistics().sends()).isEqualTo(one);
      assertThat(here.transmits.get(1).endpoint.statistics().sends()).isEqualTo(NOTHING);
      assertThat(there.receives.get(1).endpoint.statistics().receives()).isEqualTo(one);
      assertThat(there.receives.get(1).endpoint.statistics().outstandingReceives()).isZero();
      assertThat(there.receives.get(0).endpoint.statistics().receives()).isEqualTo(NOTHING);
      assertConnections(here.transmits.get(0).endpoint, ConnectionStatistics.none());
      assertThat(here.endpoint.statistics()).isEqualTo(connections(1, 1, 0, 0, 0, 0));
      assertThat(there.endpoint.statistics()).isEqualTo(connections(1, 0, 1, 0, 0, 0));
    }
  }

  @Test
  @DisplayName("Of endpoints that share receives, the one counts to which the message came")
  void sharedReceives() throws Exception {
    try (Rig rig = Rig.reliable(ipv4(Progress.MANUAL));
        Rig sender = Rig.reliable(ipv4(Progress.MANUAL));
        SharedReceiveContext shared =
            rig.domain.openSharedReceiveContext(rig.domain.info(), SharedReceiveOptions.none())) {
      EndpointOptions sharing =
          EndpointOptions.of(rig.vector, rig.queue)
              .withSharedReceives(shared)
              .withAddress(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:0"));
      try (ReliableEndpoint one = rig.domain.openReliableEndpoint(sharing);
          ReliableEndpoint other = rig.domain.openReliableEndpoint(sharing)) {
        shared.receive(Rig.buffer(8), "received");
        sender.endpoint().send(Rig.message("hello"), sender.vector.insert(other.address()), "sent");
        sent(rig.next(sender));
        assertThat(other.statistics().receives()).isEqualTo(operations(1, 0, 5));
        assertThat(other.statistics().outstandingReceives()).isZero();
        assertThat(one.statistics().receives()).isEqualTo(NOTHING);
      }
    }
  }
}
