// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.provider.net.Rig;

/** Two endpoints that applications connect: how it ends, or does not begin. */
class MsgEndsTest {
  private static final Duration A_WHILE = Duration.ofMillis(60);

  static List<Hints> kinds() {
    return MsgSide.kinds();
  }

  private static void refused(Errno errno, ThrowingCallable call) {
    assertThatExceptionOfType(FabricException.class)
        .isThrownBy(call)
        .satisfies(failed -> assertThat(failed.errno()).as(failed.toString()).isEqualTo(errno));
  }

  private static ConnectionOptions patience(Duration connectTimeout) {
    return ConnectionOptions.defaults().withConnectTimeout(connectTimeout);
  }

  // It does not begin.

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Who is rejected gets errno 111 and the reason that the other side gives")
  void rejectsWithData(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint caller = client.endpoint();
      caller.receive(Rig.buffer(8), "posted");
      caller.connect(passive.address());
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      ConnectionHandle handle = request.info().handle();
      passive.reject(handle, "closed on Fridays".getBytes(UTF_8));
      Event.Failure failure = client.event(Event.Failure.class, server);
      assertThat(failure.source()).isSameAs(caller);
      assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
      assertThat(failure.errorData()).asString(UTF_8).isEqualTo("closed on Fridays");
      Completion.Failure withdrawn = client.failure(server);
      assertThat(withdrawn.errno()).isEqualTo(Errno.ECANCELED);
      assertThat(withdrawn.context()).isEqualTo("posted");
      refused(Errno.EINVAL, () -> passive.reject(handle));
      refused(Errno.EINVAL, () -> server.endpoint(request.info()));
      refused(Errno.EISCONN, () -> caller.connect(passive.address()));
      refused(Errno.ENOTCONN, () -> caller.send(MsgSide.message("?"), 0, null));
      refused(Errno.ENOTCONN, caller::shutdown);
      refused(Errno.ENOTCONN, caller::peer);
      assertThat(client.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Where nobody listens it is errno 111, without data")
  void nobodyListens(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      FabricAddress gone;
      try (PassiveEndpoint passive =
          server.fabric.openPassiveEndpoint(server.info, PassiveOptions.of(server.events))) {
        gone = passive.address();
      }
      ConnectedEndpoint caller = client.endpoint();
      caller.connect(gone);
      Event.Failure failure = client.event(Event.Failure.class);
      assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
      assertThat(failure.errorData()).isEmpty();
      assertThat(client.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Who gets no answer gives up after the time that it has; the request is gone then")
  void nobodyAnswers(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint caller = client.endpoint(patience(Duration.ofSeconds(1)));
      caller.connect(passive.address());
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      refused(Errno.ENOTCONN, () -> caller.send(MsgSide.message("too early"), 0, null));
      Event.Failure failure = client.event(Event.Failure.class);
      assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT);
      // The server finds out in its own time.
      ConnectionRequest waiting = (ConnectionRequest) request.info().handle();
      while (waiting.fate == ConnectionRequest.Fate.WAITING) {
        server.move();
        Thread.sleep(1);
      }
      assertThat(server.isQuiet(A_WHILE)).isTrue();
      refused(Errno.ECONNABORTED, () -> server.endpoint(request.info()));
      // To refuse what is gone makes no difference.
      passive.reject(request.info().handle());
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Who waits for ever is refused after a time, and its place is free for others")
  void nobodyAnswersAPatientPeer(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveOptions options = PassiveOptions.of(server.events).withBacklog(1);
      refused(Errno.EINVAL, () -> options.withAnswerTimeout(Duration.ZERO));
      PassiveEndpoint passive = server.listen(options.withAnswerTimeout(Duration.ofMillis(300)));
      for (int i = 0; i < 2; i++) {
        ConnectedEndpoint caller = client.endpoint(patience(Duration.ofDays(1)));
        caller.connect(passive.address());
        Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
        Event.Failure failure = client.event(Event.Failure.class, server);
        assertThat(failure.source()).isSameAs(caller);
        assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
        refused(Errno.ECONNABORTED, () -> server.endpoint(request.info()));
        passive.reject(request.info().handle());
      }
      assertThat(server.isQuiet(A_WHILE)).isTrue();
    }
  }

  @Test
  @DisplayName("A host that accepts and says nothing, or rubbish, costs one attempt")
  void strangersThatListen() throws Exception {
    try (MsgSide client = new MsgSide(Progress.MANUAL);
        ServerSocket stranger = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
      FabricAddress there = FabricAddress.of((InetSocketAddress) stranger.getLocalSocketAddress());
      ConnectedEndpoint first = client.endpoint();
      first.connect(there);
      try (Socket rubbish = stranger.accept()) {
        rubbish.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n".getBytes(UTF_8));
        assertThat(client.event(Event.Failure.class).errno()).isEqualTo(Errno.EIO);
      }
      ConnectedEndpoint second = client.endpoint();
      second.connect(there);
      stranger.accept().close();
      assertThat(client.event(Event.Failure.class).errno()).isEqualTo(Errno.ECONNRESET);
      ConnectedEndpoint third = client.endpoint(patience(Duration.ofMillis(200)));
      third.connect(there);
      try (Socket silent = stranger.accept()) {
        assertThat(client.event(Event.Failure.class).errno()).isEqualTo(Errno.ETIMEDOUT);
        assertThat(RawPeer.isClosed(silent)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Requests beyond the backlog are refused at once, and an answer makes room")
  void tooManyRequests(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen(PassiveOptions.of(server.events).withBacklog(2));
      ConnectedEndpoint[] callers = new ConnectedEndpoint[4];
      Event.ConnectionRequest[] requests = new Event.ConnectionRequest[4];
      for (int i = 0; i < 2; i++) {
        callers[i] = client.endpoint();
        callers[i].connect(passive.address());
        requests[i] = server.event(Event.ConnectionRequest.class, client);
      }
      callers[2] = client.endpoint();
      callers[2].connect(passive.address());
      Event.Failure failure = client.event(Event.Failure.class, server);
      assertThat(failure.source()).isSameAs(callers[2]);
      assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
      passive.reject(requests[0].info().handle());
      assertThat(client.event(Event.Failure.class, server).source()).isSameAs(callers[0]);
      callers[3] = client.endpoint();
      callers[3].connect(passive.address());
      requests[3] = server.event(Event.ConnectionRequest.class, client);
      server.endpoint(requests[3].info()).accept();
      server.endpoint(requests[1].info()).accept();
      for (int i = 0; i < 2; i++) {
        server.event(Event.Connected.class, client);
        client.event(Event.Connected.class, server);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A passive endpoint that is closed refuses who waits; who is connected stays so")
  void closingThePassiveEndpoint(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      MsgSide.Pair pair = client.connect(server, passive);
      ConnectedEndpoint late = client.endpoint();
      late.connect(passive.address());
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      passive.close();
      Event.Failure failure = client.event(Event.Failure.class);
      assertThat(failure.source()).isSameAs(late);
      assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED);
      refused(Errno.ECONNABORTED, () -> server.endpoint(request.info()));
      pair.server().receive(Rig.buffer(16), "in");
      pair.client().inject(MsgSide.message("still here"), 0);
      assertThat(server.success(client).length()).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName(
      "Who closes an endpoint instead of accepting refuses, and so does who cannot open it")
  void closesInsteadOfAccepting(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      for (boolean opens : new boolean[] {false, true}) {
        ConnectedEndpoint caller = client.endpoint();
        caller.connect(passive.address());
        Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
        if (opens) {
          ConnectedEndpoint unwilling = server.endpoint(request.info());
          refused(Errno.EINVAL, () -> server.endpoint(request.info()));
          refused(Errno.EINVAL, () -> passive.reject(request.info().handle()));
          refused(Errno.EISCONN, () -> unwilling.connect(passive.address()));
          unwilling.close();
        } else {
          EndpointOptions queueless = EndpointOptions.none().withEvents(server.events);
          refused(Errno.ENOCQ, () -> server.endpoint(request.info(), queueless));
        }
        assertThat(client.event(Event.Failure.class, server).errno()).isEqualTo(Errno.ECONNREFUSED);
      }
    }
  }

  @Test
  @DisplayName("What strangers say to a passive endpoint costs their own connection")
  void strangersThatConnect() throws Exception {
    try (MsgSide server = new MsgSide(Progress.AUTO);
        MsgSide client = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = server.listen();
      try (Socket rubbish = RawPeer.connect(passive.address());
          Socket answer = RawPeer.connect(passive.address());
          Socket huge = RawPeer.connect(passive.address());
          Socket hasty = RawPeer.connect(passive.address());
          Socket half = RawPeer.connect(passive.address())) {
        rubbish.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
        answer.getOutputStream().write(message(1, new byte[0]));
        byte[] tooMuch = message(0, new byte[256]);
        tooMuch[2] = 1;
        tooMuch[3] = 1;
        huge.getOutputStream().write(tooMuch);
        half.getOutputStream().write(message(0, new byte[100]), 0, 60);
        for (Socket each : List.of(rubbish, answer, huge)) {
          assertThat(RawPeer.isClosed(each)).isTrue();
        }
        assertThat(server.isQuiet(A_WHILE)).isTrue();
        hasty.getOutputStream().write(message(0, "now".getBytes(UTF_8)));
        Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class);
        assertThat(request.connectionData()).asString(UTF_8).isEqualTo("now");
        hasty.getOutputStream().write("and more".getBytes(UTF_8));
        assertThat(RawPeer.isClosed(hasty)).isTrue();
        refused(Errno.ECONNABORTED, () -> server.endpoint(request.info()));
        // Who has said half of it is left in peace for five seconds, and nobody is kept waiting.
        client.connect(server, passive);
        assertThat(RawPeer.isClosed(half)).isTrue();
      }
    }
  }

  @Test
  @DisplayName("Bytes that come before the answer end the connection, also if an endpoint is open")
  void bytesBeforeTheAnswer() throws Exception {
    try (MsgSide server = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = server.listen();
      for (boolean leaves : new boolean[] {false, true}) {
        try (Socket hasty = RawPeer.connect(passive.address())) {
          hasty.getOutputStream().write(message(0, new byte[0]));
          Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class);
          ConnectedEndpoint endpoint = server.endpoint(request.info());
          if (leaves) {
            hasty.shutdownOutput();
          } else {
            hasty.getOutputStream().write(new byte[16]);
          }
          await().forever().until(() -> TcpTable.unread(hasty.getPort()) > 0);
          refused(Errno.ECONNABORTED, () -> endpoint.accept(new byte[0]));
          assertThat(RawPeer.isClosed(hasty)).isTrue();
          refused(Errno.EISCONN, () -> endpoint.accept(new byte[0]));
        }
      }
    }
  }

  private static byte[] message(int type, byte[] data) {
    return ByteBuffer.allocate(32 + data.length)
        .put(new byte[] {3, (byte) type, (byte) (data.length >> 8), (byte) data.length})
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(24, 1)
        .position(32)
        .put(data)
        .array();
  }

  @Test
  @DisplayName("A request for which the event queue has no room is reported when it has")
  void theEventQueueIsFull() throws Exception {
    try (MsgSide server = new MsgSide(MsgSide.hints("127.0.0.1", Progress.AUTO), 1);
        MsgSide client = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = server.listen();
      ConnectedEndpoint[] callers = new ConnectedEndpoint[3];
      for (int i = 0; i < callers.length; i++) {
        callers[i] = client.endpoint();
        callers[i].connect(passive.address(), new byte[] {(byte) i});
      }
      assertThat(client.isQuiet(A_WHILE)).isTrue();
      for (int i = 0; i < callers.length; i++) {
        Event event = server.next(Rig.PATIENCE);
        assertThat(event).isInstanceOf(Event.ConnectionRequest.class);
        passive.reject(((Event.ConnectionRequest) event).info().handle());
      }
      for (int i = 0; i < callers.length; i++) {
        assertThat(client.event(Event.Failure.class).errno()).isEqualTo(Errno.ECONNREFUSED);
      }
    }
  }

  // It ends.

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Shutdown ends it on both sides: receives are withdrawn, and each side is told once")
  void shutsDown(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      MsgSide.Pair pair = client.connect(server, server.listen());
      pair.client().receive(Rig.buffer(8), "of the client");
      pair.client().receiveTagged(Rig.buffer(8), TagPattern.exactly(5), "tagged");
      pair.server().receive(Rig.buffer(8), "of the server");
      pair.client().inject(MsgSide.message("last"), 0);
      pair.client().shutdown();
      // What is withdrawn was reported when the call returned.
      assertThat(client.failure().errno()).isEqualTo(Errno.ECANCELED);
      assertThat(client.failure().context()).isEqualTo("tagged");
      assertThat(client.event(Event.Shutdown.class).source()).isSameAs(pair.client());
      assertThat(server.success(client).length()).isEqualTo(4);
      assertThat(server.event(Event.Shutdown.class, client).source()).isSameAs(pair.server());
      pair.client().shutdown();
      pair.server().shutdown();
      for (ConnectedEndpoint each : List.of(pair.client(), pair.server())) {
        refused(Errno.ESHUTDOWN, () -> each.send(MsgSide.message("?"), 0, null));
        refused(Errno.ENOTCONN, each::peer);
      }
      pair.server().receive(Rig.buffer(8), "too late");
      assertThat(server.failure().errno()).isEqualTo(Errno.ECANCELED);
      assertThat(server.isQuiet(A_WHILE)).isTrue();
      assertThat(client.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Messages that came before the end can be received after it")
  void earlyMessagesOutliveTheConnection(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      MsgSide.Pair pair = client.connect(server, server.listen());
      for (int i = 0; i < 3; i++) {
        pair.client().send(MsgSide.message("message " + i), 0, i);
        client.success(server);
      }
      pair.client().close();
      server.event(Event.Shutdown.class, client);
      MemorySegment buffer = Rig.buffer(16);
      for (int i = 0; i < 3; i++) {
        pair.server().receive(buffer, i);
        assertThat(Rig.text(buffer, server.success().length())).isEqualTo("message " + i);
      }
      pair.server().receive(buffer, "none is left");
      assertThat(server.failure().errno()).isEqualTo(Errno.ECANCELED);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A send that has begun, or waits for its acknowledgement, fails with errno 104")
  void sendsFailWithTheConnection(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      MsgSide.Pair pair = client.connect(server, server.listen());
      MemorySegment large = Rig.buffer(64 << 20);
      pair.client()
          .send(
              new SendRequest()
                  .memory(large)
                  .destination(0)
                  .context("begun")
                  .completes(CompletionLevel.DELIVERED));
      pair.client()
          .send(
              new SendRequest()
                  .memory(MsgSide.message("behind it"))
                  .destination(0)
                  .context("untouched")
                  .completes(CompletionLevel.DELIVERED));
      pair.server().close();
      Completion.Failure begun = client.failure();
      assertThat(begun.context()).isEqualTo("begun");
      assertThat(begun.errno()).isEqualTo(Errno.ECONNRESET);
      Completion.Failure untouched = client.failure();
      assertThat(untouched.context()).isEqualTo("untouched");
      assertThat(untouched.errno()).isEqualTo(Errno.ECANCELED);
      client.event(Event.Shutdown.class);
      assertThat(client.isQuiet(A_WHILE)).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A message that breaks off is not reported; its receive is withdrawn")
  void aMessageBreaksOff(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      for (boolean reset : new boolean[] {false, true}) {
        Socket peer = connect(passive.address());
        ConnectedEndpoint accepted = server.accept();
        accepted.receive(Rig.buffer(64), "in");
        byte[] answer = RawPeer.read(peer, 32);
        assertThat(answer[1]).isEqualTo((byte) 1);
        // The header of a message of 48 bytes, and a half of them.
        byte[] frame = new byte[40];
        frame[0] = 3;
        frame[6] = 16;
        frame[8] = 64;
        peer.getOutputStream().write(frame);
        server.isQuiet(A_WHILE);
        if (reset) {
          RawPeer.reset(peer);
        } else {
          peer.close();
        }
        assertThat(server.failure().errno()).isEqualTo(Errno.ECANCELED);
        server.event(Event.Shutdown.class);
        assertThat(server.isQuiet(A_WHILE)).isTrue();
      }
    }
  }

  private static Socket connect(FabricAddress name) throws IOException {
    Socket socket = RawPeer.connect(name.toString().contains("[") ? "::1" : "127.0.0.1", name);
    socket.getOutputStream().write(message(0, new byte[0]));
    return socket;
  }

  @Test
  @DisplayName("Frames that are none end the connection, and nothing else")
  void rubbishEndsTheConnection() throws Exception {
    try (MsgSide server = new MsgSide(Progress.MANUAL);
        MsgSide client = new MsgSide(Progress.MANUAL)) {
      PassiveEndpoint passive = server.listen();
      MsgSide.Pair pair = client.connect(server, passive);
      Socket peer = connect(passive.address());
      ConnectedEndpoint accepted = server.accept();
      RawPeer.read(peer, 32);
      peer.getOutputStream().write(new byte[] {3, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
      assertThat(server.event(Event.Shutdown.class).source()).isSameAs(accepted);
      assertThat(RawPeer.isClosed(peer)).isTrue();
      pair.server().receive(Rig.buffer(16), "in");
      pair.client().inject(MsgSide.message("unharmed"), 0);
      assertThat(server.success(client).length()).isEqualTo(8);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Both shut down at the same time, again and again: each is told once")
  void bothAtTheSameTime(Hints hints) throws Exception {
    try (MsgSide server = new MsgSide(hints);
        MsgSide client = new MsgSide(hints)) {
      PassiveEndpoint passive = server.listen();
      for (int i = 0; i < 30; i++) {
        MsgSide.Pair pair = client.connect(server, passive);
        Thread other = Thread.ofVirtual().start(pair.server()::shutdown);
        pair.client().shutdown();
        other.join();
        assertThat(client.event(Event.Shutdown.class, server).source()).isSameAs(pair.client());
        assertThat(server.event(Event.Shutdown.class, client).source()).isSameAs(pair.server());
        pair.client().close();
        pair.server().close();
      }
      assertThat(client.isQuiet(A_WHILE)).isTrue();
      assertThat(server.isQuiet(A_WHILE)).isTrue();
    }
  }
}
