// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.matching.FullRoom;

/** How much is kept of messages that come before their receives, and what a peer gets past it. */
class EarlyRoomTest {
  private static final String NO_ROOM = "org.ofi4j.EarlyMessageWithoutRoom";
  private static final int MEBIBYTE = 1 << 20;
  private static final EarlyMessages SMALL =
      EarlyMessages.defaults().withPerPeer(2 * MEBIBYTE).withInAll(3 * MEBIBYTE);

  private static Rig rig() {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
  }

  private static Rig rig(EarlyMessages early) {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), early);
  }

  private static Completion.Success success(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return (Completion.Success) completion;
  }

  @ParameterizedTest
  @CsvSource({"400000, 4", "524288, 4", "1048576, 60", "3, 300"})
  @DisplayName("The last of many early messages can be received first")
  void lastFirst(int size, int count) throws Exception {
    try (Rig receiver = rig();
        Rig sender = rig();
        Arena arena = Arena.ofShared()) {
      receiver.insert(sender);
      long to = sender.insert(receiver);
      MemorySegment message = arena.allocate(size);
      for (int i = 0; i < count; i++) {
        Content.fill(message, i);
        sender
            .endpoint()
            .sendTagged(new TaggedSendRequest().memory(message).destination(to).tag(i).context(i));
        assertThat(success(sender.next()).context()).isEqualTo(i);
      }
      MemorySegment buffer = arena.allocate(size);
      for (int i = count - 1; i >= 0; i--) {
        receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(i), i);
        assertThat(success(receiver.next()).tag()).isEqualTo(i);
        Content.verify(buffer, i);
      }
    }
  }

  private static byte[] flood(RawPeer peer, int messages, int size) throws Exception {
    ByteArrayOutputStream flood = new ByteArrayOutputStream();
    for (int i = 0; i < messages; i++) {
      flood.writeBytes(peer.frame("x".repeat(size)));
    }
    return flood.toByteArray();
  }

  @Test
  @DisplayName("What a peer sends beyond its bound waits in its connection, and comes in order")
  void boundOfAPeer() throws Exception {
    try (Rig receiver = rig(SMALL);
        Rig sender = rig()) {
      receiver.insert(sender);
      long to = sender.insert(receiver);
      MemorySegment message = Rig.buffer(900_000);
      for (int i = 0; i < 3; i++) {
        sender.endpoint().send(message, to, i);
      }
      sender.endpoint().send(Rig.message("behind"), to, "behind");
      MemorySegment buffer = Rig.buffer(900_000);
      for (int i = 0; i < 4; i++) {
        receiver.endpoint().receive(buffer, i);
        assertThat(success(receiver.next()).length()).isEqualTo(i < 3 ? 900_000 : 6);
      }
    }
  }

  @Test
  @DisplayName("Where a bound is reached the log and Flight Recorder say so")
  void isTold(@TempDir Path directory) throws Exception {
    try (Rig receiver = rig(SMALL);
        Rig sender = rig();
        RejectedLines lines = new RejectedLines(FullRoom.class);
        Recording recording = new Recording()) {
      recording.enable(NO_ROOM);
      recording.start();
      receiver.insert(sender);
      long to = sender.insert(receiver);
      for (int i = 0; i < 3; i++) {
        sender.endpoint().send(Rig.buffer(900_000), to, i);
      }
      assertThat(lines.await(1))
          .singleElement()
          .asString()
          .contains(
              "900000", "1800000 bytes", "from this peer", "at most 2097152", "withEarlyMessages");
      recording.stop();
      Path file = directory.resolve("full.jfr");
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file))
          .filteredOn(event -> event.getEventType().getName().equals(NO_ROOM))
          .singleElement()
          .satisfies(event -> assertThat(event.getLong("kept")).isEqualTo(1_800_000));
    }
  }

  @Test
  @DisplayName("A peer that is not in the vector has little room, and that of others once it is")
  void stranger() throws Exception {
    try (Rig receiver = rig();
        RawPeer peer = new RawPeer();
        RejectedLines lines = new RejectedLines(FullRoom.class);
        Socket socket = peer.join(receiver.name(), 7)) {
      Thread sending =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  socket.getOutputStream().write(flood(peer, 3, 500_000));
                } catch (Exception failed) {
                  throw new AssertionError(failed);
                }
              });
      assertThat(lines.await(1))
          .singleElement()
          .asString()
          .contains("at most " + EarlyMessages.STRANGER);
      receiver.vector.insert(peer.name());
      // What an application does next makes it be seen: here it posts a receive for something else.
      receiver.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(1), "another");
      sending.join();
      MemorySegment buffer = Rig.buffer(500_000);
      for (int i = 0; i < 3; i++) {
        receiver.endpoint().receive(buffer, i);
        assertThat(success(receiver.next()).length()).isEqualTo(500_000);
      }
    }
  }

  @Test
  @DisplayName("What a receiver has no room for is announced to it, and nothing behind that waits")
  void announcedWithoutRoom() throws Exception {
    try (Rig receiver = rig(EarlyMessages.defaults().withPerPeer(MEBIBYTE));
        Rig sender = rig();
        RejectedLines lines = new RejectedLines(FullRoom.class)) {
      receiver.insert(sender);
      long to = sender.insert(receiver);
      MemorySegment buffer = Rig.buffer(400_000);
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++) {
          MemorySegment message = Rig.buffer(400_000);
          Content.fill(message, i);
          sender
              .endpoint()
              .sendTagged(
                  new TaggedSendRequest().memory(message).destination(to).tag(i).context(i));
        }
        sender.endpoint().send(Rig.message("behind"), to, "behind");
        receiver.endpoint().receive(buffer, "behind");
        assertThat(success(receiver.next()).length()).isEqualTo(6);
        for (int i = 7; i >= 0; i--) {
          receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(i), i);
          assertThat(success(receiver.next()).tag()).isEqualTo(i);
          Content.verify(buffer, i);
        }
        for (int i = 0; i < 9; i++) {
          success(sender.next());
        }
      }
      assertThat(lines.await(0)).isEmpty();
    }
  }

  private static boolean found(Rig receiver, ReceiveMode mode) throws Exception {
    receiver
        .endpoint()
        .receiveTagged(
            new TaggedReceiveRequest().pattern(TagPattern.exactly(9)).mode(mode).context("look"));
    return receiver.next() instanceof Completion.Success;
  }

  @ParameterizedTest
  @ValueSource(strings = {"received", "discarded", "kept", "lost"})
  @DisplayName("A ready to send waits behind messages that there is no room for, and is taken then")
  void readyToSendWaits(String fate) throws Exception {
    EarlyMessages small = EarlyMessages.defaults().withPerPeer(MEBIBYTE).withInAll(MEBIBYTE);
    try (Rig receiver = rig(small);
        Rig first = rig();
        Rig second = rig();
        Rig third = rig(EarlyMessages.defaults().withAnnounced(16_384));
        RejectedLines lines = new RejectedLines(FullRoom.class)) {
      receiver.insert(first);
      receiver.insert(second);
      receiver.insert(third);
      first.endpoint().send(Rig.buffer(900_000), first.insert(receiver), "kept");
      ReceiveRequest look = new ReceiveRequest().mode(ReceiveMode.PEEK).context("look");
      do {
        receiver.endpoint().receive(look);
      } while (receiver.next() instanceof Completion.Failure);
      second.endpoint().send(Rig.buffer(800_000), second.insert(receiver), "without room");
      assertThat(lines.await(1)).singleElement().asString().contains("message of 800000 bytes");
      MemorySegment message = Rig.buffer(300_000);
      Content.fill(message, 9);
      long to = third.insert(receiver);
      third
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(message)
                  .destination(to)
                  .tag(9)
                  .context("ready to send"));
      third.endpoint().send(Rig.message("behind"), to, "behind");
      MemorySegment buffer = Rig.buffer(900_000);
      while (!found(receiver, ReceiveMode.PEEK)) {
        // It is on its way.
      }
      switch (fate) {
        case "received" ->
            receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(9), "received");
        case "discarded" -> assertThat(found(receiver, ReceiveMode.PEEK_AND_DISCARD)).isTrue();
        case "lost" -> third.endpoint().close();
        default -> {
          // Receives for the others make room.
        }
      }
      // What stands behind it has no room either, and is in the way of its bytes.
      receiver.endpoint().receive(Rig.buffer(900_000), "first");
      receiver.endpoint().receive(Rig.buffer(800_000), "second");
      success(receiver.next());
      success(receiver.next());
      if (fate.equals("received")) {
        success(receiver.next());
        Content.verify(buffer.asSlice(0, 300_000), 9);
      }
      if (fate.equals("lost")) {
        while (found(receiver, ReceiveMode.PEEK)) {
          // That it has left is on its way.
        }
        return;
      }
      receiver.endpoint().receive(buffer, "behind");
      assertThat(success(receiver.next()).length()).isEqualTo(6);
      if (fate.equals("kept")) {
        receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(9), "received");
        assertThat(success(receiver.next()).length()).isEqualTo(300_000);
        Content.verify(buffer.asSlice(0, 300_000), 9);
      }
      assertThat(found(receiver, ReceiveMode.PEEK)).isFalse();
      success(third.next());
      success(third.next());
    }
  }

  private static byte[] frame(int operation, int number, long payload, long... words) {
    int header = 16 + 8 * words.length;
    ByteBuffer bytes =
        ByteBuffer.allocate(header)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(new byte[] {3, (byte) operation, 0, 0, (byte) number, 0, (byte) header, 0})
            .putLong(header + payload);
    for (long each : words) {
      bytes.putLong(each);
    }
    return bytes.array();
  }

  /** What came, but for the sequence. */
  private static byte[] readFrame(Socket socket, int length) throws Exception {
    byte[] bytes = RawPeer.read(socket, length);
    bytes[7] = 0;
    return bytes;
  }

  /** With features delivery words and room: so many times 64 KiB. */
  private static byte[] block(int units) {
    return HexFormat.of().parseHex("4f46493401000014000000050000000000010%03x".formatted(units));
  }

  @Test
  @DisplayName("A sender announces what is more than it was told there is room for, byte for byte")
  void sendersFollowTheProtocol() throws Exception {
    try (Rig rig = rig();
        RawPeer peer = new RawPeer()) {
      peer.version = 0x81;
      peer.extension = block(1);
      long to = rig.vector.insert(peer.name());
      for (int tag = 1; tag <= 3; tag++) {
        rig.endpoint()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(Rig.buffer(40_000))
                    .destination(to)
                    .tag(tag)
                    .context(tag));
      }
      try (Socket socket = peer.accept(3)) {
        assertThat(readFrame(socket, 24)).isEqualTo(frame(1, 0, 40_000, 1));
        RawPeer.read(socket, 40_000);
        byte[] second = readFrame(socket, 32);
        assertThat(second).isEqualTo(frame(5, second[4], 0, 2, 40_000));
        byte[] third = readFrame(socket, 32);
        assertThat(third).isEqualTo(frame(5, third[4], 0, 3, 40_000));
        // Room for exactly one more; the clear to send behind it is answered when that is known.
        socket.getOutputStream().write(frame(8, 0, 0, 2 * 40_024));
        socket.getOutputStream().write(frame(6, second[4], 0));
        assertThat(readFrame(socket, 16)).isEqualTo(frame(7, second[4], 40_000));
        RawPeer.read(socket, 40_000);
        rig.endpoint()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(Rig.buffer(40_000))
                    .destination(to)
                    .tag(4)
                    .context(4));
        rig.endpoint()
            .sendTagged(
                new TaggedSendRequest().memory(Rig.buffer(0)).destination(to).tag(5).context(5));
        assertThat(readFrame(socket, 24)).isEqualTo(frame(1, 0, 40_000, 4));
        RawPeer.read(socket, 40_000);
        byte[] fifth = readFrame(socket, 32);
        assertThat(fifth).isEqualTo(frame(5, fifth[4], 0, 5, 0));
      }
    }
  }

  @Test
  @DisplayName("A receiver tells how much room there is when half of it was used, byte for byte")
  void receiversFollowTheProtocol() throws Exception {
    try (Rig rig = rig(EarlyMessages.defaults().withPerPeer(1 << 17));
        RawPeer peer = new RawPeer()) {
      peer.version = 1;
      peer.extension = block(1);
      rig.vector.insert(peer.name());
      try (Socket socket = peer.join(rig.name(), 3)) {
        assertThat(Arrays.copyOfRange(peer.heard, 58, 60)).isEqualTo(new byte[] {0, 2});
        byte[] message = peer.frame("x".repeat(30_000));
        for (int i = 0; i < 3; i++) {
          rig.endpoint().receive(Rig.buffer(30_000), i);
          socket.getOutputStream().write(message);
          success(rig.next());
        }
        assertThat(readFrame(socket, 24)).isEqualTo(frame(8, 0, 0, 3 * 30_016 + (1 << 17)));
        // What is kept is room that there is not, until it is taken.
        for (int i = 0; i < 3; i++) {
          socket.getOutputStream().write(message);
        }
        for (int i = 0; i < 3; i++) {
          rig.endpoint().receive(Rig.buffer(30_000), i);
          success(rig.next());
        }
        assertThat(readFrame(socket, 24)).isEqualTo(frame(8, 0, 0, 6 * 30_016 + (1 << 17)));
      }
      peer.extension = new byte[0];
      try (Socket socket = peer.join(rig.name(), 4)) {
        socket.getOutputStream().write(frame(8, 0, 0, 1 << 20));
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
    }
  }

  /** A quarter of what the endpoint keeps is as much as one stranger may send. */
  private static final EarlyMessages FOUR =
      EarlyMessages.defaults().withPerPeer(4 * MEBIBYTE).withInAll(4 * MEBIBYTE);

  /** As many messages of a stranger as are kept of one. */
  private static void sendMebibyte(RawPeer stranger, Socket over) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            over.getOutputStream().write(flood(stranger, 256, 4_080));
          } catch (Exception closed) {
            // The test is over, or closes the connection.
          }
        });
  }

  /** A peer sends a message without a receive, and then one that has a receive. */
  private static void expectSecond(Rig receiver, Rig sender) throws Exception {
    long to = sender.insert(receiver);
    receiver.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(1_000), "second");
    sender.endpoint().send(Rig.message("first"), to, "first");
    sender
        .endpoint()
        .sendTagged(
            new TaggedSendRequest()
                .memory(Rig.message("second"))
                .destination(to)
                .tag(1_000)
                .context("second"));
    assertThat(success(receiver.next()).context()).isEqualTo("second");
  }

  @Test
  void peersOfTheVectorHaveSpaceThatStrangersCannotUse() throws Exception {
    try (Rig receiver = rig(FOUR);
        Rig sender = rig();
        Rig other = rig();
        RejectedLines lines = new RejectedLines(FullRoom.class);
        Strangers strangers = new Strangers(receiver, 6)) {
      receiver.insert(sender);
      strangers.forEach(EarlyRoomTest::sendMebibyte);
      assertThat(lines.await(1))
          .singleElement()
          .asString()
          .contains("peers that are not in the vector", "at most " + MEBIBYTE);
      expectSecond(receiver, sender);
      // A stranger's message that meets a receive needs no space.
      receiver.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(5), "expected");
      long to = other.insert(receiver);
      other
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("expected"))
                  .destination(to)
                  .tag(5)
                  .context("expected"));
      assertThat(success(receiver.next()).context()).isEqualTo("expected");
    }
  }

  @Test
  void strangerThatWaitsBehindOthersHasSpaceOnceItIsInserted() throws Exception {
    try (Rig receiver = rig(FOUR);
        Rig sender = rig();
        RejectedLines lines = new RejectedLines(FullRoom.class);
        Strangers strangers = new Strangers(receiver, 6)) {
      strangers.forEach(EarlyRoomTest::sendMebibyte);
      lines.await(1);
      long to = sender.insert(receiver);
      receiver.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(3), "second");
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("first"))
                  .destination(to)
                  .tag(2)
                  .context("first"));
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("second"))
                  .destination(to)
                  .tag(3)
                  .context("second"));
      while (peeked(receiver, 2) instanceof Completion.Failure) {
        // The first message is on its way to where it waits.
      }
      receiver.insert(sender);
      // Each turn of the endpoint looks at one stranger.
      Completion next = peeked(receiver, 77);
      while (!"second".equals(next.context())) {
        next = peeked(receiver, 77);
      }
      success(next);
    }
  }

  @Test
  void messagesOfStrangersAreDroppedWhenTheyAreGone() throws Exception {
    try (Rig receiver = rig(FOUR);
        Rig sender = rig()) {
      for (int i = 0; i < 6; i++) {
        try (Strangers one = new Strangers(receiver, 1)) {
          one.forEach((stranger, socket) -> {
            socket.getOutputStream().write(flood(stranger, 255, 4_080));
            socket.getOutputStream().write(frame(1, 0, 0, 40));
          });
          while (peeked(receiver, 40) instanceof Completion.Failure) {
            // The last of its messages is on its way.
          }
        }
        while (peeked(receiver, 40) instanceof Completion.Success) {
          // The end of its connection is on its way.
        }
      }
      expectSecond(receiver, sender);
    }
  }

  @Test
  void messagesOfPeersInTheVectorOutliveTheirConnection() throws Exception {
    try (Rig receiver = rig();
        RawPeer peer = new RawPeer()) {
      receiver.vector.insert(peer.name());
      try (Socket socket = peer.join(receiver.name(), 7)) {
        socket.getOutputStream().write(frame(1, 0, 0, 40));
      }
      while (receiver.endpoint().statistics().connections().lost() == 0) {
        receiver.move(Duration.ofMillis(1));
      }
      success(peeked(receiver, 40));
    }
  }

  @Test
  void restartsOfPeerKeepMessagesOfOneEarlierLife() throws Exception {
    int lives = 500;
    try (Rig receiver = rig();
        RawPeer peer = new RawPeer()) {
      receiver.vector.insert(peer.name());
      for (int life = 1; life <= lives; life++) {
        try (Socket socket = peer.join(receiver.name(), life)) {
          socket.getOutputStream().write(frame(1, 0, 0, life));
          while (peeked(receiver, life) instanceof Completion.Failure) {
            // It is on its way, and the next life must not overtake it.
          }
        }
      }
      success(peeked(receiver, lives - 1));
      for (int life = 1; life < lives - 1; life++) {
        assertThat(peeked(receiver, life)).isInstanceOf(Completion.Failure.class);
      }
    }
  }

  @Test
  void strangersThatAnnounceLeaveAnnouncementsToPeersOfTheVector() throws Exception {
    try (Rig receiver = rig();
        Rig sender = rig(EarlyMessages.defaults().withAnnounced(16));
        RejectedLines lines = new RejectedLines(FullRoom.class);
        Strangers strangers = new Strangers(receiver, 65)) {
      receiver.insert(sender);
      strangers.forEach((_, socket) -> {
        ByteArrayOutputStream announcements = new ByteArrayOutputStream();
        for (int number = 1; number <= 255; number++) {
          announcements.writeBytes(frame(5, number, 0, number, 1L << 40));
        }
        socket.getOutputStream().write(announcements.toByteArray());
      });
      lines.await(1);
      long to = sender.insert(receiver);
      receiver.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(1_000), "second");
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.buffer(17))
                  .destination(to)
                  .tag(999)
                  .context("announced"));
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.buffer(8))
                  .destination(to)
                  .tag(1_000)
                  .context("second"));
      assertThat(success(receiver.next()).context()).isEqualTo("second");
    }
  }

  private static Completion peeked(Rig receiver, long tag) throws Exception {
    if (Thread.interrupted()) {
      throw new InterruptedException("the time of the test is over");
    }
    receiver
        .endpoint()
        .receiveTagged(
            new TaggedReceiveRequest()
                .pattern(TagPattern.exactly(tag))
                .mode(ReceiveMode.PEEK)
                .context("peeked"));
    return receiver.next();
  }

  /** Peers that a receiver does not have in its vector, each with a connection. */
  private static final class Strangers implements AutoCloseable {
    interface Action {
      void accept(RawPeer stranger, Socket socket) throws Exception;
    }

    private final List<RawPeer> peers = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();

    Strangers(Rig receiver, int count) throws IOException {
      for (int i = 0; i < count; i++) {
        RawPeer peer = new RawPeer();
        peer.version = 1;
        peers.add(peer);
        sockets.add(peer.join(receiver.name(), 7));
      }
    }

    void forEach(Action action) throws Exception {
      for (int i = 0; i < peers.size(); i++) {
        action.accept(peers.get(i), sockets.get(i));
      }
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
      for (RawPeer peer : peers) {
        peer.close();
      }
    }
  }

  @Test
  @DisplayName("Bounds are checked")
  void arguments() {
    EarlyMessages defaults = EarlyMessages.defaults();
    refused(() -> defaults.withPerPeer(4_095), "perPeer 4095");
    refused(() -> defaults.withInAll(-1), "inAll -1");
    refused(() -> defaults.withAnnounced(-1), "announced -1");
  }

  private static void refused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(FabricException.class)
        .hasMessageContaining(message)
        .satisfies(
            failed -> assertThat(((FabricException) failed).errno()).isEqualTo(Errno.EINVAL));
  }

  @Test
  @DisplayName(
      "A peer that does not read past what it does not keep gets what it wants all the same")
  void peerThatReadsNoFurther() throws Exception {
    try (LibfabricPeer peer = LibfabricPeer.start("reads-no-further");
        Rig rig = rig(EarlyMessages.defaults().withAnnouncedToLibfabric(16_384))) {
      peer.meanwhile(() -> rig.move(Duration.ZERO));
      long to = rig.vector.insert(peer.name());
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.buffer(16_385))
                  .destination(to)
                  .tag(1)
                  .context("larger"));
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.buffer(16_384))
                  .destination(to)
                  .tag(2)
                  .context("behind"));
      peer.ask("connection", "connected");
      assertThat(peer.ask("receive 2")).isEqualTo("received 2 16384");
      assertThat(peer.ask("receive 1")).isEqualTo("received 1 16385");
      peer.finish();
    }
  }
}
