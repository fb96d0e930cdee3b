// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.provider.libfabric.Rig.assertPattern;
import static org.ofi4j.provider.libfabric.Rig.memory;
import static org.ofi4j.provider.libfabric.Rig.pattern;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.RegisterOptions;
import org.ofi4j.SendRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.historic.HistoricVector;

/** What endpoints that connect promise, over providers that have them. */
final class ConnectionProgram {
  /** More than the kernel keeps on its way. */
  private static final int LARGE = 24 << 20;

  private static final int[] SIZES = {0, 1, 64, 4_096, 65_536, 1 << 20};

  private final String provider;
  private final Progress progress;
  private @Nullable ConnectionRig rig;

  private ConnectionProgram(String provider, Progress progress) {
    this.provider = provider;
    this.progress = progress;
  }

  private interface Use {
    void of(ConnectionRig rig, PassiveEndpoint passive) throws Exception;
  }

  public static void main(String[] arguments) {
    Scenarios scenarios = new Scenarios();
    for (String provider : arguments) {
      for (Progress each : List.of(Progress.MANUAL, Progress.AUTO)) {
        new ConnectionProgram(provider, each).addTo(scenarios);
      }
    }
    scenarios.runAndExit();
  }

  private void addTo(Scenarios scenarios) {
    add(scenarios, "requests and answers carry data, and sides know each other", this::greets);
    add(scenarios, "messages of all sizes there and back", ConnectionProgram::messages);
    add(scenarios, "memory of the other side is read and written", ConnectionProgram::memories);
    add(scenarios, "counters count what is posted", ConnectionProgram::counters);
    add(scenarios, "more sends than the other side takes wait", ConnectionProgram::waits);
    add(scenarios, "nobody listens", this::refused);
    add(scenarios, "a request is rejected with data", ConnectionProgram::rejected);
    add(scenarios, "an endpoint that is not opened refuses its request", this::notOpened);
    add(scenarios, "nobody answers", this::unanswered);
    add(scenarios, "an answer comes too late", ConnectionProgram::late);
    add(scenarios, "requests beyond the backlog", ConnectionProgram::backlog);
    add(scenarios, "an event queue that is full", this::fullQueue);
    add(scenarios, "this side ends the connection", (rig, passive) -> ends(rig, passive, true));
    add(scenarios, "the other side ends it", (rig, passive) -> ends(rig, passive, false));
    add(scenarios, "an endpoint is closed", ConnectionProgram::closed);
    add(scenarios, "insertions are reported beside connections", ConnectionProgram::insertions);
    scenarios.add(provider + " " + progress + ": all is closed", this::close);
  }

  private void add(Scenarios scenarios, String what, Use use) {
    scenarios.add(provider + " " + progress + ": " + what, () -> run(use));
  }

  /** One domain does for all of them, unless something has gone wrong there. */
  private void run(Use use) throws Exception {
    ConnectionRig present = rig == null ? new ConnectionRig(provider, progress) : rig;
    rig = null;
    use.of(present, present.listen());
    present.assertNothingElse();
    present.closeEndpoints();
    rig = present;
  }

  private void close() {
    if (rig != null) {
      rig.close();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    pattern(MemorySegment.ofArray(bytes), length);
    return bytes;
  }

  private void greets(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    assertThat(passive.connectionDataSize()).isEqualTo(256);
    // A domain of its own, as of another process.
    try (ConnectionRig other = new ConnectionRig(provider, progress)) {
      rig.moveToo(other);
      other.moveToo(rig);
      ConnectedEndpoint client = other.endpoint();
      assertThat(client.connectionDataSize()).isEqualTo(256);
      assertThatThrownBy(client::peer).message().contains("ENOTCONN (107)");
      client.connect(passive.address(), filled(256));
      Event.ConnectionRequest request = rig.request();
      assertThat(request.source()).isSameAs(passive);
      assertThat(request.connectionData()).isEqualTo(filled(256));
      ConnectedEndpoint server = rig.endpoint(request.info());
      server.accept(filled(200));
      assertThat(rig.connected(server)).isEmpty();
      assertThat(other.connected(client)).isEqualTo(filled(200));
      assertThat(client.peer()).isEqualTo(passive.address());
      assertThat(server.peer()).isEqualTo(request.info().destination()).isEqualTo(client.address());
      exchange(other.rig, client, rig.rig, server, 1);
      client.close();
      rig.ended(server);
      rig.moveToo(null);
    }
  }

  private static void exchange(
      Rig fromRig, ConnectedEndpoint from, Rig toRig, ConnectedEndpoint to, int seed)
      throws Exception {
    MemorySegment buffer = memory(100);
    to.receive(buffer, "exchanged");
    from.send(pattern(memory(100), seed), Handles.UNSPECIFIED, "sent last");
    while (to.statistics().outstandingReceives() > 0) {
      fromRig.move();
      toRig.move();
    }
    assertThat(toRig.success("exchanged").length()).isEqualTo(100);
    assertPattern(buffer, 100, seed);
    fromRig.success("sent last");
  }

  private static void messages(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    int seed = 0;
    for (int size : SIZES) {
      for (boolean heap : new boolean[] {true, false}) {
        ConnectedEndpoint from = heap ? pair.client() : pair.server();
        ConnectedEndpoint to = heap ? pair.server() : pair.client();
        MemorySegment into = heap ? memory(size) : MemorySegment.ofArray(new byte[size]);
        MemorySegment sent = heap ? MemorySegment.ofArray(new byte[size]) : memory(size);
        to.receive(into, "received");
        from.send(
            new SendRequest()
                .memory(pattern(sent, seed))
                .destination(77)
                .context("sent")
                .data(seed));
        Completion.Success received = rig.rig.success("received");
        assertThat(received.length()).isEqualTo(size);
        assertThat(received.flags() & CompletionFlag.REMOTE_CQ_DATA.mask()).isNotZero();
        assertThat(received.data()).isEqualTo(seed);
        assertPattern(into, size, seed++);
        rig.rig.success("sent");
      }
    }
    assertThatThrownBy(() ->
            pair.client()
                .sendTagged(new TaggedSendRequest().memory(memory(1)).destination(0).tag(7)))
        .message()
        .contains("EOPNOTSUPP (95)", "TAGGED");
  }

  private static void memories(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    try (TransferMemory allocated = rig.rig.domain.allocate(10_000)) {
      MemorySegment target = allocated.segment();
      try (MemoryRegion region =
          rig.rig.domain.register(
              target, RegisterOptions.of(Access.REMOTE_READ, Access.REMOTE_WRITE))) {
        pair.client().write(pattern(memory(10_000), 3), 0, region.place(), "written");
        rig.rig.success("written");
        MemorySegment back = memory(10_000);
        pair.client().read(back, 0, region.place(), "read");
        rig.rig.success("read");
        assertPattern(back, 10_000, 3);
        assertPattern(target, 10_000, 3);
      }
    }
  }

  private static void counters(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    try (Counter sends = rig.rig.domain.openCounter();
        ConnectedEndpoint client =
            rig.rig.domain.openConnectedEndpoint(
                rig.options().withMoreCounters(sends, CounterFlag.SEND))) {
      client.connect(passive.address());
      ConnectedEndpoint server = rig.endpoint(rig.request().info());
      server.accept();
      rig.connected(client);
      rig.connected(server);
      for (int i = 0; i < 3; i++) {
        exchange(rig.rig, client, rig.rig, server, i);
      }
      assertThat(sends.read()).isEqualTo(3);
      client.shutdown();
      rig.ended(client);
      rig.ended(server);
    }
  }

  /** They wait here or in libfabric; their order stays. */
  private static void waits(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    int size = 4_000;
    int sent = 0;
    while (sent < 200 && pair.client().trySend(pattern(memory(size), sent), 0, "sent")) {
      sent++;
    }
    assertThat(sent).isGreaterThan(100);
    for (int i = 0; i < sent; i++) {
      MemorySegment buffer = memory(size);
      pair.server().receive(buffer, "received");
      assertThat(rig.rig.success("received").length()).isEqualTo(size);
      assertPattern(buffer, size, i);
      rig.rig.success("sent");
    }
  }

  private static FabricAddress local(int port) {
    return FabricAddress.of(new InetSocketAddress("127.0.0.1", port));
  }

  private void refused(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint client = rig.endpoint();
    client.receive(memory(10), "never");
    Event.Failure failure;
    // While the port is bound, no other program can listen at it.
    try (Socket bound = new Socket()) {
      bound.bind(new InetSocketAddress("127.0.0.1", 0));
      client.connect(local(bound.getLocalPort()));
      failure = rig.failure(client);
    }
    assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
    assertThat(failure.errorData()).isEmpty();
    assertOver(rig, client);
    assertThatThrownBy(() -> client.send(memory(1), 0, null)).message().contains("ENOTCONN (107)");
    assertThatThrownBy(client::shutdown).message().contains("ENOTCONN (107)");
  }

  /** The receive that was posted has failed, and so does another one. */
  private static void assertOver(ConnectionRig rig, ConnectedEndpoint endpoint) throws Exception {
    assertThat(rig.rig.failure("never").errno()).isEqualTo(Errno.ECANCELED);
    endpoint.receive(memory(10), "late");
    assertThat(rig.rig.failure("late").errno()).isEqualTo(Errno.ECANCELED);
    assertThat(endpoint.statistics().outstandingReceives()).isZero();
    assertThat(endpoint.cancel("never")).isFalse();
  }

  private static void rejected(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint client = rig.endpoint();
    client.receive(memory(10), "never");
    client.connect(passive.address(), bytes("please"));
    passive.reject(rig.request().info().handle(), bytes("no, thank you"));
    Event.Failure failure = rig.failure(client);
    assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
    assertThat(failure.errorData()).isEqualTo(bytes("no, thank you"));
    assertOver(rig, client);
    exchangeOnce(rig, passive);
  }

  /** All is still as it should be. */
  private static void exchangeOnce(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    exchange(rig.rig, pair.client(), rig.rig, pair.server(), 5);
    exchange(rig.rig, pair.server(), rig.rig, pair.client(), 6);
  }

  private void notOpened(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectedEndpoint client = rig.endpoint();
    client.connect(passive.address());
    Event.ConnectionRequest request = rig.request();
    // Without an event queue.
    assertThatThrownBy(() ->
            rig.rig.domain.openConnectedEndpoint(
                request.info(), EndpointOptions.of(rig.rig.vector, rig.rig.queue)))
        .message()
        .contains("ENOEQ (261)");
    assertThat(rig.failure(client).errno()).isEqualTo(Errno.ECONNREFUSED);
  }

  private void unanswered(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    try (ServerSocket silent = new ServerSocket(0);
        ConnectedEndpoint client =
            rig.rig.domain.openConnectedEndpoint(
                rig.options()
                    .withConnections(
                        ConnectionOptions.defaults().withConnectTimeout(Duration.ofMillis(100))))) {
      client.receive(memory(10), "never");
      client.connect(FabricAddress.of(new InetSocketAddress("127.0.0.1", silent.getLocalPort())));
      assertThat(rig.failure(client).errno()).isEqualTo(Errno.ETIMEDOUT);
      assertOver(rig, client);
    }
  }

  private static void late(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    PassiveEndpoint hasty =
        rig.listen(PassiveOptions.of(rig.events).withAnswerTimeout(Duration.ofMillis(50)));
    ConnectedEndpoint client = rig.endpoint();
    client.connect(hasty.address());
    Event.ConnectionRequest request = rig.request();
    assertThat(rig.failure(client).errno()).isEqualTo(Errno.ECONNREFUSED);
    hasty.reject(request.info().handle());
    assertThatThrownBy(() -> rig.endpoint(request.info())).message().contains("ECONNABORTED (103)");
  }

  private static void backlog(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    PassiveEndpoint narrow = rig.listen(PassiveOptions.of(rig.events).withBacklog(1));
    ConnectedEndpoint first = rig.endpoint();
    first.connect(narrow.address());
    Event.ConnectionRequest request = rig.request();
    ConnectedEndpoint second = rig.endpoint();
    second.connect(narrow.address());
    assertThat(rig.failure(second).errno()).isEqualTo(Errno.ECONNREFUSED);
    ConnectedEndpoint server = rig.endpoint(request.info());
    server.accept();
    rig.connected(first);
    rig.connected(server);
    ConnectionRig.Pair third = rig.pair(narrow);
    exchange(rig.rig, third.client(), rig.rig, third.server(), 1);
  }

  private void fullQueue(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    try (EventQueue small =
            rig.rig.fabric.openEventQueue(EventQueueOptions.defaults().withSize(1));
        PassiveEndpoint listening = rig.listen(PassiveOptions.of(small))) {
      List<ConnectedEndpoint> clients = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        ConnectedEndpoint client = rig.endpoint();
        client.connect(listening.address(), new byte[] {(byte) i});
        clients.add(client);
      }
      byte[] seen = new byte[5];
      for (int i = 0; i < 5; i++) {
        Event event = small.read();
        while (event == null) {
          rig.move();
          event = small.read();
        }
        Event.ConnectionRequest request = (Event.ConnectionRequest) event;
        seen[i] = request.connectionData()[0];
        listening.reject(request.info().handle());
      }
      assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
      for (ConnectedEndpoint each : clients) {
        assertThat(rig.failure(each).errno()).isEqualTo(Errno.ECONNREFUSED);
      }
    }
  }

  private static void ends(ConnectionRig rig, PassiveEndpoint passive, boolean here)
      throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    ConnectedEndpoint client = pair.client();
    client.receive(memory(10), "never");
    // Larger than what the kernel takes, and nobody takes it.
    client.send(memory(LARGE), 0, "cut off");
    (here ? client : pair.server()).shutdown();
    Completion.Failure cutOff = rig.rig.failure("cut off");
    assertThat(cutOff.errno()).isEqualTo(here ? Errno.ECANCELED : Errno.ECONNRESET);
    assertOver(rig, client);
    rig.ended(client);
    // libfabric looks at nothing that comes as long as there is no receive for it.
    pair.server().receive(memory(LARGE), "never");
    rig.ended(pair.server());
    assertThat(rig.rig.failure("never").errno()).isEqualTo(Errno.ECANCELED);
    assertThatThrownBy(() -> client.send(memory(1), 0, null))
        .isInstanceOf(FabricException.class)
        .message()
        .contains("ESHUTDOWN (108)");
    assertThatThrownBy(client::peer).message().contains("ENOTCONN (107)");
    client.shutdown();
    exchangeOnce(rig, passive);
  }

  private static void closed(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    ConnectionRig.Pair pair = rig.pair(passive);
    pair.client().receive(memory(10), "never");
    pair.server().inject(pattern(memory(10), 9), 0);
    pair.server().receive(memory(10), "dropped");
    assertThat(rig.rig.success("never").length()).isEqualTo(10);
    pair.client().receive(memory(10), "never");
    pair.server().close();
    rig.ended(pair.client());
    assertOver(rig, pair.client());
    exchangeOnce(rig, passive);
  }

  @SuppressWarnings("deprecation") // by the man page; it goes on working all the same
  private static void insertions(ConnectionRig rig, PassiveEndpoint passive) throws Exception {
    exchangeOnce(rig, passive);
    VectorOptions options = VectorOptions.table().withFlags(VectorFlag.EVENT);
    try (AddressVector vector = rig.rig.domain.openAddressVector(options)) {
      HistoricVector.of(vector).bind(rig.events, 0);
      vector.insert(List.of(passive.address(), local(9)));
      assertThat(rig.events.read(Rig.PATIENCE))
          .isEqualTo(Event.InsertionComplete.of(vector, null, 2));
    }
    exchangeOnce(rig, passive);
  }
}
