// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ofi4j.Completion;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;

/** What endpoints that connect are told where C would crash, or go wrong in silence. */
final class HostileConnectionProgram {
  private static final byte[] TOO_MUCH = new byte[257];
  private static final int ROUNDS = 60;

  private final String provider;

  private HostileConnectionProgram(String provider) {
    this.provider = provider;
  }

  private interface Use {
    void of(ConnectionRig rig, PassiveEndpoint passive) throws Exception;
  }

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String provider : arguments) {
      new HostileConnectionProgram(provider).addTo(scenarios);
    }
    scenarios.runAndExit();
  }

  private void addTo(Scenarios scenarios) {
    add(scenarios, "calls in the wrong order", HostileConnectionProgram::wrongOrder);
    add(scenarios, "requests that are answered twice", HostileConnectionProgram::twice);
    add(scenarios, "addresses and data that do not fit", HostileConnectionProgram::misfits);
    add(scenarios, "endpoints that are closed", HostileConnectionProgram::closed);
    add(scenarios, "an endpoint that is closed while it connects", this::closedEarly);
    add(scenarios, "a passive endpoint that is closed with requests", this::passiveClosed);
    add(scenarios, "peers that say nothing, and something later", this::silentPeers);
    add(scenarios, "a host with more requests than its share", this::greedyHost);
    add(scenarios, "peers that say something else", HostileConnectionProgram::garbage);
    add(scenarios, "things that are closed too early", HostileConnectionProgram::busy);
    add(scenarios, "an endpoint that is closed while it accepts", this::closedAccepting);
    add(scenarios, "two threads that read events", HostileConnectionProgram::twoReaders);
    add(scenarios, "connections that come and go", HostileConnectionProgram::comeAndGo);
    add(scenarios, "a peer that is killed", this::killed);
  }

  private void add(Scenarios scenarios, String what, Use use) {
    scenarios.add(
        provider + ": " + what,
        () -> {
          try (ConnectionRig rig = new ConnectionRig(provider, Progress.MANUAL)) {
            PassiveEndpoint passive = rig.listen();
            use.of(rig, passive);
            if (passive.isOpen()) {
              exchange(rig, rig.pair(passive));
            }
          }
        });
  }

  /** All is still as it should be. */
  private static void exchange(ConnectionRig rig, ConnectionRig.Pair pair) throws Exception {
    MemorySegment buffer = memory(100);
    pair.server().receive(buffer, "exchanged");
    pair.client().send(pattern(memory(100), 77), 0, "sent last");
    assertThat(rig.rig.success("exchanged").length()).isEqualTo(100);
    assertPattern(buffer, 100, 77);
    rig.rig.success("sent last");
  }

  private static void assertRefused(Errno errno, Scenarios.Scenario call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(errno))
        .message()
        .isNotBlank();
  }

  private static void wrongOrder(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint client = rig.endpoint();
    assertRefused(Errno.EINVAL, client::accept);
    assertRefused(Errno.ENOTCONN, client::shutdown);
    assertRefused(Errno.ENOTCONN, client::peer);
    assertRefused(Errno.ENOTCONN, () -> client.trySend(memory(8), 0, null));
    assertRefused(Errno.ENOTCONN, () -> client.tryInject(memory(8), 0));
    client.connect(passive.address());
    assertRefused(Errno.EISCONN, () -> client.connect(passive.address()));
    assertRefused(Errno.ENOTCONN, () -> client.trySend(memory(8), 0, null));
    ConnectedEndpoint server = rig.endpoint(rig.request().info());
    assertRefused(Errno.EISCONN, () -> server.connect(passive.address()));
    server.accept();
    assertRefused(Errno.EISCONN, server::accept);
    rig.connected(client);
    rig.connected(server);
    exchange(rig, new ConnectionRig.Pair(client, server));
    client.shutdown();
    client.shutdown();
    rig.ended(client);
    rig.ended(server);
    assertRefused(Errno.EISCONN, () -> client.connect(passive.address()));
    assertRefused(Errno.EISCONN, server::accept);
    assertRefused(Errno.ESHUTDOWN, () -> client.trySend(memory(8), 0, null));
    assertRefused(Errno.ESHUTDOWN, () -> server.trySend(memory(8), 0, null));
    server.shutdown();
  }

  private static void twice(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    PassiveEndpoint other = rig.listen();
    ConnectedEndpoint client = rig.endpoint();
    client.connect(passive.address());
    Event.ConnectionRequest request = rig.request();
    ConnectionHandle handle = request.info().handle();
    assertRefused(Errno.EINVAL, () -> other.reject(handle));
    assertRefused(Errno.EINVAL, () -> other.reject(new ConnectionHandle() {}));
    assertRefused(
        Errno.EINVAL,
        () ->
            rig.endpoint(
                request
                    .info()
                    .withRequest(new ConnectionHandle() {}, request.info().destination())));
    ConnectedEndpoint server = rig.endpoint(request.info());
    assertRefused(Errno.EINVAL, () -> rig.endpoint(request.info()));
    assertRefused(Errno.EINVAL, () -> passive.reject(handle));
    server.accept();
    assertRefused(Errno.EINVAL, () -> passive.reject(handle));
    rig.connected(client);
    rig.connected(server);
    ConnectedEndpoint second = rig.endpoint();
    second.connect(passive.address());
    Event.ConnectionRequest refused = rig.request();
    passive.reject(refused.info().handle());
    assertRefused(Errno.EINVAL, () -> passive.reject(refused.info().handle()));
    assertRefused(Errno.EINVAL, () -> rig.endpoint(refused.info()));
    assertThat(rig.failure(second).errno()).isEqualTo(Errno.ECONNREFUSED);
    exchange(rig, new ConnectionRig.Pair(client, server));
  }

  private static void misfits(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint client = rig.endpoint();
    for (FabricAddress address :
        List.of(
            FabricAddress.of(new InetSocketAddress("::1", 4_711)),
            new FabricAddress.TextAddress("fi_shm://1:0:0"))) {
      assertRefused(Errno.EINVAL, () -> client.connect(address));
    }
    assertRefused(Errno.EINVAL, () -> client.connect(passive.address(), TOO_MUCH));
    assertRefused(Errno.EADDRINUSE, () -> listenAt(rig, passive.address()));
    assertRefused(
        Errno.EINVAL, () -> listenAt(rig, new FabricAddress.TextAddress("fi_shm://1:0:0")));
    assertThatThrownBy(
            () -> listenAt(rig, FabricAddress.of(new InetSocketAddress("192.0.2.99", 4_711))))
        .isInstanceOf(FabricException.class);
    assertRefused(Errno.ENOEQ, () -> rig.listen(PassiveOptions.none()));
    client.connect(passive.address());
    Event.ConnectionRequest request = rig.request();
    assertRefused(Errno.EINVAL, () -> passive.reject(request.info().handle(), TOO_MUCH));
    ConnectedEndpoint server = rig.endpoint(request.info());
    assertRefused(Errno.EINVAL, () -> server.accept(TOO_MUCH));
    server.accept();
    rig.connected(client);
    rig.connected(server);
    exchange(rig, new ConnectionRig.Pair(client, server));
    ConnectedEndpoint nowhere = rig.endpoint();
    nowhere.connect(FabricAddress.of(new InetSocketAddress("127.0.0.1", 0)));
    assertThat(rig.failure(nowhere).errno()).isNotNull();
  }

  private static void listenAt(ConnectionRig rig, FabricAddress address) {
    rig.listen(PassiveOptions.of(rig.events).withAddress(address));
  }

  private static void closed(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    ConnectedEndpoint client = pair.client();
    client.receive(memory(100), "dropped");
    client.close();
    client.close();
    List<Scenarios.Scenario> calls =
        List.of(
            () -> client.connect(passive.address()),
            client::accept,
            client::shutdown,
            client::peer,
            client::address,
            client::connectionDataSize,
            () -> client.trySend(memory(8), 0, null),
            () -> client.tryReceive(memory(8), null),
            () -> client.cancel("dropped"));
    calls.forEach(call -> assertRefused(Errno.EINVAL, call));
    rig.ended(pair.server());
    // An endpoint of a request that is never accepted.
    ConnectedEndpoint second = rig.endpoint();
    second.connect(passive.address());
    rig.endpoint(rig.request().info()).close();
    assertThat(rig.failure(second).errno()).isIn(Errno.ECONNRESET, Errno.ETIMEDOUT);
    PassiveEndpoint other = rig.listen();
    FabricAddress there = other.address();
    other.close();
    assertRefused(Errno.EINVAL, other::address);
    assertRefused(Errno.EINVAL, other::connectionDataSize);
    ConnectedEndpoint third = rig.endpoint();
    third.connect(there);
    assertThat(rig.failure(third).errno()).isEqualTo(Errno.ECONNREFUSED);
  }

  private void closedEarly(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
      FabricAddress there =
          FabricAddress.of(new InetSocketAddress("127.0.0.1", silent.getLocalPort()));
      for (int i = 0; i < 5; i++) {
        ConnectedEndpoint client = rig.endpoint();
        client.receive(memory(10), "dropped");
        client.connect(there);
        for (int moves = 0; moves < i; moves++) {
          rig.move();
        }
        client.close();
      }
    }
    for (int i = 0; i < 5; i++) {
      ConnectedEndpoint client = rig.endpoint();
      client.connect(passive.address());
      Event.ConnectionRequest request = rig.request();
      client.close();
      ConnectedEndpoint server = rig.endpoint(request.info());
      try {
        server.accept();
      } catch (FabricException gone) {
        assertThat(gone.errno()).isEqualTo(Errno.ECONNABORTED);
      }
      server.close();
    }
  }

  /** libfabric frees a request that is accepted, and one that is not is given back to it. */
  private void closedAccepting(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      ConnectedEndpoint client = rig.endpoint();
      client.connect(passive.address());
      ConnectedEndpoint server = rig.endpoint(rig.request().info());
      Scenarios.together(
          () -> {
            try {
              server.accept();
            } catch (FabricException closed) {
              assertThat(closed.errno()).isEqualTo(Errno.EINVAL);
            }
          },
          server::close);
      client.close();
    }
  }

  private void passiveClosed(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint known = rig.endpoint();
    known.connect(passive.address());
    Event.ConnectionRequest request = rig.request();
    ConnectedEndpoint claimed = rig.endpoint();
    claimed.connect(passive.address());
    ConnectedEndpoint server = rig.endpoint(rig.request().info());
    passive.close();
    assertThat(rig.failure(known).errno()).isEqualTo(Errno.ECONNREFUSED);
    assertRefused(Errno.ECONNABORTED, () -> rig.endpoint(request.info()));
    server.accept();
    rig.connected(claimed);
    rig.connected(server);
    exchange(rig, new ConnectionRig.Pair(claimed, server));
  }

  private static InetSocketAddress socket(PassiveEndpoint passive) {
    byte[] packed = passive.address().toBytes();
    return new InetSocketAddress("127.0.0.1", (packed[2] & 0xFF) << 8 | packed[3] & 0xFF);
  }

  /** libfabric keeps those, and the passive endpoint for when they speak. */
  private void silentPeers(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    List<Socket> peers = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      PassiveEndpoint brief = rig.listen();
      for (int i = 0; i < 5; i++) {
        Socket peer = new Socket();
        peer.connect(socket(brief));
        peers.add(peer);
        rig.move();
      }
      brief.close();
      for (Socket each : peers) {
        say(each, new byte[300]);
        rig.move();
      }
      exchange(rig, rig.pair(passive));
    }
    for (Socket each : peers) {
      each.close();
      rig.move();
    }
  }

  /** The oldest requests of a host make space for its next ones, and others get in. */
  private void greedyHost(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    int backlog = 20;
    int share = 16;
    PassiveEndpoint small = rig.listen(PassiveOptions.of(rig.events).withBacklog(backlog));
    List<ConnectedEndpoint> greedy = new ArrayList<>();
    List<Event.ConnectionRequest> requests = new ArrayList<>();
    for (int i = 0; i < backlog + 5; i++) {
      ConnectedEndpoint client = rig.endpoint();
      greedy.add(client);
      client.connect(small.address());
      requests.add(rig.request());
    }
    for (int i = 0; i < greedy.size() - share; i++) {
      assertThat(rig.failure(greedy.get(i)).errno()).isEqualTo(Errno.ECONNREFUSED);
      int at = i;
      assertRefused(Errno.ECONNABORTED, () -> rig.endpoint(requests.get(at).info()));
    }
    try (ConnectionRig other =
        new ConnectionRig(ConnectionRig.hints(provider).withSource("127.0.0.2:0"))) {
      rig.moveToo(other);
      ConnectedEndpoint client = other.endpoint();
      client.connect(small.address());
      Event.ConnectionRequest request = rig.request();
      assertThat(String.valueOf(request.info().destination())).contains("127.0.0.2");
      ConnectedEndpoint server = rig.endpoint(request.info());
      server.accept();
      rig.connected(server);
      other.connected(client);
      rig.moveToo(null);
    }
  }

  private static void say(Socket peer, byte[] bytes) {
    try {
      peer.getOutputStream().write(bytes);
    } catch (IOException closed) {
      // It may be, too.
      return;
    }
  }

  private static void garbage(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    for (byte[] said :
        List.of(
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
            new byte[1],
            new byte[4_096],
            new byte[0])) {
      try (Socket peer = new Socket()) {
        peer.connect(socket(passive));
        say(peer, said);
        for (int i = 0; i < 20; i++) {
          rig.move();
        }
      }
      rig.move();
    }
    try (ServerSocket server = new ServerSocket(0)) {
      ConnectedEndpoint client = rig.endpoint();
      client.connect(FabricAddress.of(new InetSocketAddress("127.0.0.1", server.getLocalPort())));
      Thread.ofPlatform()
          .start(() -> {
            try (Socket peer = server.accept()) {
              peer.getInputStream().read();
              say(peer, "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            } catch (IOException closed) {
              return;
            }
          });
      assertThat(rig.failure(client).reason()).isNotBlank();
    }
  }

  private static void busy(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    assertThatThrownBy(rig.events::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.rig.domain::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.rig.fabric::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(rig.rig.queue::close).isInstanceOf(FabricBusyException.class);
    exchange(rig, pair);
  }

  /** Each event goes to one of them, and none is lost. */
  private static void twoReaders(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConcurrentLinkedQueue<Event> seen = new ConcurrentLinkedQueue<>();
    AtomicBoolean over = new AtomicBoolean();
    Set<ConnectedEndpoint> clients = new HashSet<>();
    Scenarios.Scenario reader =
        () -> {
          while (!over.get()) {
            Event event = null;
            try {
              event = rig.events.read(Duration.ofMillis(5));
            } catch (FabricException failure) {
              event = rig.events.readError();
            }
            if (event instanceof Event.ConnectionRequest request) {
              passive.reject(request.info().handle());
            }
            if (event != null) {
              seen.add(event);
            }
          }
        };
    Scenarios.together(
        reader,
        reader,
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            ConnectedEndpoint client = rig.endpoint();
            clients.add(client);
            client.connect(passive.address());
          }
          while (seen.size() < 2 * ROUNDS) {
            Thread.sleep(1);
          }
          over.set(true);
        });
    assertThat(seen).hasSize(2 * ROUNDS);
    assertThat(seen.stream().filter(Event.Failure.class::isInstance).map(Event::source))
        .containsExactlyInAnyOrderElementsOf(clients);
  }

  private static void comeAndGo(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    long descriptors = 0;
    for (int round = 0; round < ROUNDS; round++) {
      ConnectionRig.Pair pair = rig.pair(passive);
      exchange(rig, pair);
      pair.client().close();
      rig.ended(pair.server());
      pair.server().close();
      PassiveEndpoint other = rig.listen();
      ConnectedEndpoint unanswered = rig.endpoint();
      unanswered.connect(other.address());
      rig.request();
      other.close();
      assertThat(rig.failure(unanswered).errno()).isEqualTo(Errno.ECONNREFUSED);
      unanswered.close();
      if (round == 5) {
        descriptors = Measured.descriptors();
      }
    }
    assertThat(Measured.descriptors()).isLessThanOrEqualTo(descriptors + 5);
  }

  private void killed(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    try (ChildJvm jvm = ChildJvm.start(ConnectingPeer.class, List.of(ChildJvm.NATIVE), provider)) {
      jvm.say(Integer.toString(socket(passive).getPort()));
      ConnectedEndpoint server = rig.endpoint(rig.request().info());
      server.accept();
      rig.connected(server);
      for (int seed = 0; seed < ConnectingPeer.MESSAGES; seed++) {
        int size = ConnectingPeer.size(seed);
        MemorySegment buffer = memory(size);
        server.receive(buffer, "received");
        assertThat(rig.rig.success("received").length()).isEqualTo(size);
        assertPattern(buffer, size, seed);
        server.send(pattern(memory(size), -seed), 0, "sent");
        rig.rig.success("sent");
      }
      server.receive(memory(10), "never");
      server.send(memory(24 << 20), 0, "cut off");
      jvm.kill();
      assertThat(rig.rig.failure("cut off").errno()).isEqualTo(Errno.ECONNRESET);
      assertThat(rig.rig.failure("never").errno()).isEqualTo(Errno.ECANCELED);
      rig.ended(server);
      assertRefused(Errno.ESHUTDOWN, () -> server.trySend(memory(8), 0, null));
      server.receive(memory(10), "late");
      Completion.Failure late = rig.rig.failure("late");
      assertThat(late.errno()).isEqualTo(Errno.ECANCELED);
      assertThat(server.statistics().outstandingTransmits()).isZero();
      assertThat(server.statistics().outstandingReceives()).isZero();
    }
  }
}
