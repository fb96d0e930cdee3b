// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.wire.TcpLimits;

/** An endpoint with an event queue hears of peers that are gone, and of those that come back. */
class LostPeersTest {
  /** An extension that agrees on delivery words and heartbeats, one each 300 ms. */
  private static final String HEARTBEATS = "4f46493401000016000000090000000000010000012c";

  private static final int HEARTBEAT = 9;

  /** A rig that reports peers after a second of silence. */
  private static Rig watcher(String node, Progress progress) {
    return Rig.watching(
        Rig.tcp(node, progress).withMoreCapabilities(Capability.DIRECTED_RECEIVE),
        ConnectionOptions.defaults()
            .withConnectTimeout(Rig.PATIENCE)
            .withPeerTimeout(Duration.ofSeconds(1)));
  }

  /** Sends a message, and waits until it is there. */
  private static void reach(Rig rig, long peer) throws InterruptedException {
    rig.endpoint()
        .send(
            new SendRequest()
                .memory(Rig.message("are you there?"))
                .destination(peer)
                .context("sent")
                .completes(CompletionLevel.DELIVERED));
    assertThat(rig.next()).isInstanceOf(Completion.Success.class);
  }

  /** A peer in a process of its own, which takes what comes. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      Hints hints = Rig.tcp(arguments[0], arguments[1], Progress.AUTO);
      try (Rig rig = Rig.reliable(hints)) {
        PrintStream out = System.out;
        out.println(rig.name());
        MemorySegment buffer = Rig.buffer(1_000);
        while (true) {
          rig.endpoint().receive(buffer, "received");
          rig.next();
        }
      }
    }
  }

  /** What runs that program. */
  private static final class Peer implements AutoCloseable {
    final Process process;
    final FabricAddress name;

    Peer(String node, String port, String... before) throws IOException {
      ProcessBuilder builder = EndpointProcess.builder(Program.class, List.of(), node, port);
      builder.command().addAll(0, List.of(before));
      process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      name = FabricAddress.parse(String.valueOf(out.readLine()));
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }

  private static void signal(Process process, String name) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor())
        .isZero();
    if (name.equals("STOP")) {
      // A thread runs on for a moment after the signal.
      await()
          .forever()
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(() -> areAllStopped(process));
    }
  }

  private static boolean areAllStopped(Process process) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path thread : threads.toList()) {
        String status = Files.readString(thread.resolve("stat"));
        if (status.charAt(status.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("Who waits for a message of a peer that was killed is told, and told of its return")
  void killed(Progress progress) throws Exception {
    try (Rig rig = watcher("127.0.0.1", progress)) {
      FabricAddress name;
      long peer;
      try (Peer mortal = new Peer("127.0.0.1", "0")) {
        name = mortal.name;
        peer = rig.vector.insert(name);
        reach(rig, peer);
        rig.endpoint()
            .receive(new ReceiveRequest().memory(Rig.buffer(100)).source(peer).context("directed"));
        mortal.process.destroyForcibly().onExit().join();
        Event.PeerLost lost = (Event.PeerLost) rig.nextEvent();
        assertThat(lost.source()).isSameAs(rig.endpoint());
        assertThat(lost.peer()).isEqualTo(peer);
        assertThat(lost.errno()).isEqualTo(Errno.ECONNRESET);
      }
      String port = "" + ((FabricAddress.SocketAddress4) name).toSocketAddress().getPort();
      try (Peer again = new Peer("127.0.0.1", port)) {
        reach(rig, peer);
        assertThat(rig.nextEvent()).isEqualTo(Event.PeerReturned.of(rig.endpoint(), peer, true));
        assertThat(again.name).isEqualTo(name);
      }
      assertThat(rig.nextEvent()).isInstanceOf(Event.PeerLost.class);
      // It stays posted: the peer may come back once more.
      assertThat(rig.endpoint().cancel("directed")).isTrue();
      assertThat(((Completion.Failure) rig.next()).errno()).isEqualTo(Errno.ECANCELED);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("A peer that is stopped is lost, idle or not, and is back when it goes on")
  void stopped(Progress progress) throws Exception {
    try (Rig rig = watcher("127.0.0.1", progress);
        Peer peer = new Peer("127.0.0.1", "0")) {
      long handle = rig.vector.insert(peer.name);
      reach(rig, handle);
      signal(peer.process, "STOP");
      Event.PeerLost lost = (Event.PeerLost) rig.nextEvent();
      assertThat(lost.peer()).isEqualTo(handle);
      assertThat(lost.errno()).isEqualTo(Errno.ETIMEDOUT);
      signal(peer.process, "CONT");
      reach(rig, handle);
      assertThat(rig.nextEvent()).isEqualTo(Event.PeerReturned.of(rig.endpoint(), handle, false));

      signal(peer.process, "STOP");
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("hello"))
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      Completion.Failure failed = (Completion.Failure) rig.next();
      assertThat(failed.errno()).isEqualTo(Errno.ECONNRESET);
      assertThat(failed.reason()).contains("no sign of life for 1000 ms");
      assertThat(((Event.PeerLost) rig.nextEvent()).errno()).isEqualTo(Errno.ETIMEDOUT);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @DisplayName("A peer whose link is cut is lost, with what is on its way to it, and comes back")
  void linkIsCut(Progress progress) throws Exception {
    try (NetworkNamespace elsewhere = NetworkNamespace.open();
        Rig rig = watcher(elsewhere.near(), progress);
        Peer peer = new Peer(elsewhere.far(), "0", elsewhere.within())) {
      long handle = rig.vector.insert(peer.name);
      reach(rig, handle);
      elsewhere.cut();
      // The kernel sends it again and again, and would for a quarter of an hour.
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("hello"))
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      Completion.Failure failed = (Completion.Failure) rig.next();
      assertThat(failed.errno()).isEqualTo(Errno.ECONNRESET);
      assertThat(failed.reason()).contains("no sign of life");
      Event.PeerLost lost = (Event.PeerLost) rig.nextEvent();
      assertThat(lost.peer()).isEqualTo(handle);
      assertThat(lost.errno()).isEqualTo(Errno.ETIMEDOUT);
      elsewhere.mend();
      reach(rig, handle);
      assertThat(rig.nextEvent()).isEqualTo(Event.PeerReturned.of(rig.endpoint(), handle, false));
    }
  }

  @Test
  @DisplayName("A C program that is stopped and owes an acknowledgement is lost")
  void stoppedC() throws Exception {
    try (Rig rig = watcher("127.0.0.1", Progress.AUTO);
        LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1")) {
      long handle = rig.vector.insert(peer.name());
      peer.ask("receive 1 100", "posted");
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.buffer(100))
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      assertThat(rig.next()).isInstanceOf(Completion.Success.class);
      signal(peer.process(), "STOP");
      rig.endpoint()
          .send(
              new SendRequest()
                  .memory(Rig.message("hello"))
                  .destination(handle)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      Completion.Failure failed = (Completion.Failure) rig.next();
      assertThat(failed.reason()).contains("no sign of life");
      assertThat(((Event.PeerLost) rig.nextEvent()).errno()).isEqualTo(Errno.ETIMEDOUT);
    }
  }

  @Test
  @DisplayName("An endpoint that makes no progress says that it lives, to who has asked for it")
  void heartbeatsWithoutProgress() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        RawPeer peer = new RawPeer()) {
      // Delivery words and heartbeats, no groups, one receive context, one each 300 ms.
      peer.extension = HexFormat.of().parseHex("4f46493401000016000000090000000000010000012c");
      try (Socket socket = RawPeer.connect(rig.name())) {
        socket.getOutputStream().write(peer.request(7));
        rig.endpoint().receive(Rig.buffer(100), "received");
        socket.getOutputStream().write(peer.frame("hello"));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        // From here on nobody reads the queue.
        assertThat(RawPeer.read(socket, 62)[1]).as("a response with a block").isEqualTo((byte) 1);
        for (int i = 0; i < 3; i++) {
          byte[] frame = RawPeer.read(socket, 16);
          assertThat(frame[1]).isEqualTo((byte) HEARTBEAT);
          assertThat(frame[7]).as("sequence").isEqualTo((byte) i);
          assertThat(frame[8]).as("size").isEqualTo((byte) 16);
        }
      }
    }
  }

  /** How a peer leaves whose message waits for a receive. */
  private enum Leaving {
    CLOSED,
    CLOSED_BEHIND_MUCH,
    RESET,
    RESET_BEHIND_MUCH,
    SILENT
  }

  @ParameterizedTest
  @EnumSource(Leaving.class)
  void aPeerWhoseMessageWaitsForAReceiveIsLostWhenItHasLeft(Leaving how) throws Exception {
    try (Rig rig = watcher("127.0.0.1", Progress.AUTO);
        RawPeer peer = new RawPeer()) {
      if (how == Leaving.SILENT) {
        peer.extension = HexFormat.of().parseHex(HEARTBEATS);
      }
      long handle = rig.vector.insert(peer.name());
      Socket socket = RawPeer.connect(rig.endpoint().address());
      socket.getOutputStream().write(peer.request(7));
      byte[] message = peer.frame("the beginning of a message that no budget has space for");
      ByteBuffer.wrap(message).order(peer.order).putLong(8, 1L << 40);
      socket.getOutputStream().write(message);
      if (how == Leaving.CLOSED_BEHIND_MUCH || how == Leaving.RESET_BEHIND_MUCH) {
        // More than is read ahead, and less than the kernel takes.
        socket.getOutputStream().write(new byte[3 * TcpLimits.READ_AHEAD]);
      }
      if (how == Leaving.RESET || how == Leaving.RESET_BEHIND_MUCH) {
        RawPeer.read(socket, 40);
        socket.setSoLinger(true, 0);
      }
      if (how != Leaving.SILENT) {
        socket.close();
      }
      Event.PeerLost lost = (Event.PeerLost) rig.nextEvent();
      assertThat(lost.peer()).isEqualTo(handle);
      socket.close();
      await().forever().until(() -> rig.endpoint().statistics().connections().open() == 0);
    }
  }

  @Test
  void aPeerThatLivesWithMuchBehindItsMessageKeepsItsConnection() throws Exception {
    try (Rig rig = watcher("127.0.0.1", Progress.AUTO);
        RawPeer patient = new RawPeer();
        RawPeer mortal = new RawPeer()) {
      long handle = rig.vector.insert(mortal.name());
      try (Socket _ = openWithMuch(rig, patient)) {
        await().forever().until(() -> rig.endpoint().statistics().connections().open() == 1);
        // The connection of the first peer has been silent for longer.
        openWithMuch(rig, mortal).close();
        assertThat(((Event.PeerLost) rig.nextEvent()).peer()).isEqualTo(handle);
        assertThat(rig.endpoint().statistics().connections().open()).isOne();
      }
    }
  }

  /** Opens a connection with more data behind a message than is read ahead. */
  static final class SenderOfMuch {
    private SenderOfMuch() {}

    /** Its address, and that of the endpoint when a line comes; says when it was answered. */
    public static void main(String[] arguments) throws Exception {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      try (RawPeer peer = new RawPeer(arguments[0])) {
        peer.extension = HexFormat.of().parseHex(HEARTBEATS);
        System.out.println(peer.name());
        lines.readLine();
        Socket socket = RawPeer.connect(arguments[0], FabricAddress.parse(arguments[1]));
        writeMuch(socket, peer);
        // The answer, and the first heartbeats.
        RawPeer.read(socket, 100);
        System.out.println("answered");
        lines.readLine();
      }
    }
  }

  @Test
  void aPeerWhoseHostIsGoneIsLostWithMuchBehindItsMessage() throws Exception {
    try (NetworkNamespace elsewhere = NetworkNamespace.open();
        Rig rig = watcher(elsewhere.near(), Progress.AUTO)) {
      ProcessBuilder builder =
          EndpointProcess.builder(
              SenderOfMuch.class,
              List.of(),
              elsewhere.far(),
              String.valueOf(rig.endpoint().address()));
      builder.command().addAll(0, List.of(elsewhere.within()));
      Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (BufferedReader out = process.inputReader()) {
        long handle = rig.vector.insert(FabricAddress.parse(String.valueOf(out.readLine())));
        process.outputWriter().append("connect\n").flush();
        assertThat(out.readLine()).isEqualTo("answered");
        elsewhere.cut();
        // The kernel would send heartbeats again for a quarter of an hour.
        Event.PeerLost lost = (Event.PeerLost) rig.nextEvent();
        assertThat(lost.peer()).isEqualTo(handle);
        await().forever().until(() -> rig.endpoint().statistics().connections().open() == 0);
      } finally {
        process.destroyForcibly().onExit().join();
      }
    }
  }

  private static Socket openWithMuch(Rig rig, RawPeer peer) throws IOException {
    Socket socket = RawPeer.connect(rig.endpoint().address());
    writeMuch(socket, peer);
    return socket;
  }

  private static void writeMuch(Socket socket, RawPeer peer) throws IOException {
    socket.getOutputStream().write(peer.request(7));
    byte[] message = peer.frame("the beginning of a message that no budget has space for");
    ByteBuffer.wrap(message).order(peer.order).putLong(8, 1L << 40);
    socket.getOutputStream().write(message);
    socket.getOutputStream().write(new byte[3 * TcpLimits.READ_AHEAD]);
  }

  @Test
  @DisplayName("A heartbeat that was not agreed on costs the connection")
  void strayHeartbeat() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(rig.name(), 7)) {
      byte[] heartbeat = peer.frame("");
      heartbeat[1] = HEARTBEAT;
      socket.getOutputStream().write(heartbeat);
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
  }

  @Test
  @DisplayName("The peer timeout is a second or more")
  void timeouts() {
    ConnectionOptions defaults = ConnectionOptions.defaults();
    assertThatThrownBy(() -> defaults.withPeerTimeout(Duration.ofMillis(999)))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("a second or more");
    Rig.reliable(
            Rig.tcp("127.0.0.1", Progress.AUTO),
            defaults.withPeerTimeout(Duration.ofDays(1_000_000)))
        .close();
  }
}
