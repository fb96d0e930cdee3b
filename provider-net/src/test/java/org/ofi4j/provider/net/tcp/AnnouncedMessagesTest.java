// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Tagged messages of more than a megabyte, which are announced before they are sent. */
class AnnouncedMessagesTest {
  private static final int LARGE = (int) EarlyMessages.defaults().announced() + 12_345;
  private static final int TAGGED = 1;
  private static final int READY_TO_SEND = 5;
  private static final int CLEAR_TO_SEND = 6;
  private static final int ANNOUNCED = 7;

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  private static Hints automatic() {
    return Rig.tcp("127.0.0.1", Progress.AUTO);
  }

  private static Rig announcingToLibfabric() {
    return Rig.reliable(automatic(), EarlyMessages.defaults().withAnnouncedToLibfabric(1 << 20));
  }

  private static MemorySegment content(int size, long number) {
    MemorySegment memory = Rig.buffer(size);
    Content.fill(memory, number);
    return memory;
  }

  private static Completion.Success success(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Success.class);
    return (Completion.Success) completion;
  }

  private static Completion.Failure failure(Completion completion) {
    assertThat(completion).isInstanceOf(Completion.Failure.class);
    return (Completion.Failure) completion;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("They arrive whole, posted for or not, with data and acknowledgement")
  void arrive(Hints hints) throws InterruptedException {
    try (Rig receiver = Rig.reliable(hints);
        Rig sender = Rig.reliable(hints)) {
      long to = sender.insert(receiver);
      long from = receiver.insert(sender);
      for (int i = 0; i < 8; i++) {
        boolean early = (i & 1) != 0;
        boolean withData = (i & 4) != 0;
        TaggedSendRequest request =
            new TaggedSendRequest()
                .memory(content(LARGE, i))
                .destination(to)
                .tag(5)
                .context("s")
                .completes((i & 2) != 0 ? CompletionLevel.DELIVERED : CompletionLevel.DEFAULT);
        MemorySegment buffer = early ? Rig.buffer(LARGE) : MemorySegment.ofArray(new byte[LARGE]);
        if (!early) {
          receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(5), "r");
        }
        sender.endpoint().sendTagged(withData ? request.data(77) : request);
        if (early) {
          assertThat(sender.next(java.time.Duration.ofMillis(20))).isNull();
          receiver.move(java.time.Duration.ofMillis(20));
          receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(5), "r");
        }
        Completion.Success received = success(receiver.next(sender));
        assertThat(received.length()).isEqualTo(LARGE);
        assertThat(received.tag()).isEqualTo(5);
        assertThat(received.source()).isEqualTo(from);
        assertThat(received.data()).isEqualTo(withData ? 77 : 0);
        Content.verify(buffer, i);
        assertThat(success(sender.next(receiver)).context()).isEqualTo("s");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("One that nobody wants yet is in nobody's way")
  void overtaken(Hints hints) throws InterruptedException {
    try (Rig receiver = Rig.reliable(hints);
        Rig sender = Rig.reliable(hints)) {
      long to = sender.insert(receiver);
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 1))
                  .destination(to)
                  .tag(1)
                  .context("large"));
      sender
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 2))
                  .destination(to)
                  .tag(2)
                  .context("larger"));
      sender.endpoint().send(Rig.message("small"), to, "small");
      MemorySegment small = Rig.buffer(10);
      receiver.endpoint().receive(small, "small");
      assertThat(success(receiver.next(sender)).context()).isEqualTo("small");
      assertThat(success(sender.next(receiver)).context()).isEqualTo("small");
      MemorySegment large = Rig.buffer(LARGE);
      for (int tag = 2; tag > 0; tag--) {
        receiver.endpoint().receiveTagged(large, TagPattern.exactly(tag), tag);
        assertThat(success(receiver.next(sender)).context()).isEqualTo(tag);
        Content.verify(large, tag);
        success(sender.next(receiver));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("More than there are numbers for, matched in their order")
  void many(boolean early) throws InterruptedException {
    int count = 300;
    try (Rig receiver = Rig.reliable(automatic());
        Rig sender = Rig.reliable(automatic())) {
      long to = sender.insert(receiver);
      MemorySegment message = content(LARGE, 3);
      MemorySegment buffer = Rig.buffer(LARGE);
      for (int i = 0; i < count && !early; i++) {
        receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(i), i);
      }
      for (int i = 0; i < count; i++) {
        sender
            .endpoint()
            .sendTagged(new TaggedSendRequest().memory(message).destination(to).tag(i).context(i));
      }
      for (int i = 0; i < count; i++) {
        if (early) {
          receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(i), i);
        }
        assertThat(success(receiver.next()).tag()).isBetween(0L, count - 1L);
      }
      for (int i = 0; i < count; i++) {
        success(sender.next());
      }
      Content.verify(buffer, 3);
    }
  }

  @Test
  @DisplayName("They can be peeked at, claimed, discarded and truncated")
  void lookedAt() throws InterruptedException {
    try (Rig receiver = Rig.reliable(automatic());
        Rig sender = Rig.reliable(automatic())) {
      long to = sender.insert(receiver);
      for (int i = 0; i < 4; i++) {
        sender
            .endpoint()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(content(LARGE, i))
                    .destination(to)
                    .tag(i)
                    .context(i)
                    .completes(CompletionLevel.DELIVERED));
      }
      sender.endpoint().send(Rig.message("behind"), to, "behind");
      receiver.endpoint().receive(Rig.buffer(6), "behind");
      success(receiver.next());
      success(sender.next());
      MemorySegment buffer = Rig.buffer(LARGE);

      receiver
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .pattern(TagPattern.exactly(0))
                  .mode(ReceiveMode.PEEK)
                  .context("peek"));
      assertThat(success(receiver.next()).length()).isEqualTo(LARGE);
      receiver
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .pattern(TagPattern.exactly(0))
                  .mode(ReceiveMode.PEEK_AND_CLAIM)
                  .context("claim"));
      assertThat(success(receiver.next()).length()).isEqualTo(LARGE);
      receiver
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .pattern(TagPattern.exactly(0))
                  .mode(ReceiveMode.CLAIM)
                  .context("claim"));
      assertThat(success(receiver.next()).length()).isEqualTo(LARGE);
      Content.verify(buffer, 0);
      assertThat(success(sender.next()).context()).isEqualTo(0);

      receiver
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .pattern(TagPattern.exactly(1))
                  .mode(ReceiveMode.PEEK_AND_DISCARD)
                  .context("discard"));
      assertThat(success(receiver.next()).length()).isEqualTo(LARGE);
      assertThat(success(sender.next()).context()).isEqualTo(1);

      receiver.endpoint().receiveTagged(buffer.asSlice(0, 1_000), TagPattern.exactly(2), "short");
      Completion.Failure truncated = failure(receiver.next());
      assertThat(truncated.errno()).isEqualTo(Errno.ETRUNC);
      assertThat(truncated.overflow()).isEqualTo(LARGE - 1_000);
      assertThat(success(sender.next()).context()).isEqualTo(2);

      receiver.endpoint().receiveTagged(buffer, TagPattern.exactly(3), "last");
      assertThat(success(receiver.next()).length()).isEqualTo(LARGE);
      Content.verify(buffer, 3);
      success(sender.next());
    }
  }

  @Test
  @DisplayName("An endpoint sends them to itself")
  void oneself() throws InterruptedException {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      long self = rig.insert(rig);
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 9))
                  .destination(self)
                  .tag(1)
                  .context("s"));
      MemorySegment buffer = Rig.buffer(LARGE);
      rig.endpoint().receiveTagged(buffer, TagPattern.exactly(1), "r");
      success(rig.next());
      success(rig.next());
      Content.verify(buffer, 9);
    }
  }

  private static byte[] frame(int operation, int flags, int number, long payload, long... words) {
    int header = 16 + 8 * words.length;
    ByteBuffer bytes =
        ByteBuffer.allocate(header)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(new byte[] {3, (byte) operation})
            .putShort((short) flags)
            .put(new byte[] {(byte) number, 0, (byte) header, 0})
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

  @Test
  @DisplayName("Both sides follow the protocol, byte for byte")
  void bytes() throws Exception {
    try (Rig rig = announcingToLibfabric();
        RawPeer peer = new RawPeer()) {
      peer.version = 0x81;
      long handle = rig.vector.insert(peer.name());
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 4))
                  .destination(handle)
                  .tag(7)
                  .data(0x99)
                  .context("s")
                  .completes(CompletionLevel.DELIVERED));
      try (Socket socket = peer.accept(3)) {
        byte[] announcement = readFrame(socket, 40);
        int number = announcement[4];
        assertThat(number).isNotZero();
        assertThat(announcement).isEqualTo(frame(READY_TO_SEND, 5, number, 0, 0x99, 7, LARGE));
        OutputStream out = socket.getOutputStream();
        out.write(frame(CLEAR_TO_SEND, 0xFFFF, number, 0));
        assertThat(readFrame(socket, 16)).isEqualTo(frame(ANNOUNCED, 5, number, LARGE));
        Content.verify(MemorySegment.ofArray(RawPeer.read(socket, LARGE)), 4);
        byte[] acknowledgement = frame(0, 0, 2, 0);
        out.write(acknowledgement);
        assertThat(success(rig.next()).context()).isEqualTo("s");

        // And the other way round; what stands in the flags of the bytes does not count.
        MemorySegment buffer = Rig.buffer(LARGE);
        out.write(frame(READY_TO_SEND, 4, 200, 0, 8, LARGE));
        rig.endpoint().receiveTagged(buffer, TagPattern.exactly(8), "r");
        assertThat(readFrame(socket, 16)).isEqualTo(frame(CLEAR_TO_SEND, 0, 200, 0));
        out.write(frame(ANNOUNCED, 0xFFFF, 200, LARGE));
        byte[] content = new byte[LARGE];
        Content.fill(MemorySegment.ofArray(content), 5);
        out.write(content);
        assertThat(readFrame(socket, 16)).isEqualTo(acknowledgement);
        success(rig.next());
        Content.verify(buffer, 5);
      }
    }
  }

  /** A program on libfabric from 1.20 on, which would crash if it looked for it and took it. */
  @Test
  void programsOnLibfabricGetNoAnnouncementUnlessItIsAskedFor() throws Exception {
    try (Rig rig = Rig.reliable(automatic());
        RawPeer peer = new RawPeer()) {
      peer.version = 0x81;
      long handle = rig.vector.insert(peer.name());
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 4))
                  .destination(handle)
                  .tag(7)
                  .context("s"));
      try (Socket socket = peer.accept(3)) {
        assertThat(readFrame(socket, 24)).isEqualTo(frame(TAGGED, 0, 0, LARGE, 7));
        Content.verify(MemorySegment.ofArray(RawPeer.read(socket, LARGE)), 4);
        success(rig.next());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 0x80, 2})
  @DisplayName("To peers that have not agreed they go at once, and theirs cost the connection")
  void notAgreed(int version) throws Exception {
    try (Rig rig = Rig.reliable(automatic());
        RawPeer peer = new RawPeer()) {
      peer.version = version;
      long handle = rig.vector.insert(peer.name());
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 4))
                  .destination(handle)
                  .tag(7)
                  .context("s"));
      try (Socket socket = peer.accept(3)) {
        assertThat(readFrame(socket, 24)).isEqualTo(frame(TAGGED, 0, 0, LARGE, 7));
        Content.verify(MemorySegment.ofArray(RawPeer.read(socket, LARGE)), 4);
        success(rig.next());
        socket.getOutputStream().write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
    }
  }

  @Test
  @DisplayName("Nonsense about them costs the connection")
  void nonsense() throws Exception {
    List<byte[]> frames =
        List.of(
            frame(CLEAR_TO_SEND, 0, 1, 0),
            frame(CLEAR_TO_SEND, 0, 0, 0),
            frame(ANNOUNCED, 0, 9, 0),
            frame(ANNOUNCED, 0, 1, LARGE),
            frame(READY_TO_SEND, 0, 0, 0, 8, LARGE),
            frame(READY_TO_SEND, 0, 1, 0, 8, -1),
            frame(READY_TO_SEND, 0, 1, 1, 8, LARGE),
            frame(READY_TO_SEND, 0, 1, 0, 8));
    try (Rig rig = Rig.reliable(automatic());
        RawPeer peer = new RawPeer()) {
      peer.version = 1;
      int life = 3;
      for (byte[] each : frames) {
        try (Socket socket = peer.join(rig.name(), life++)) {
          socket.getOutputStream().write(each);
          assertThat(RawPeer.isClosed(socket)).as(Arrays.toString(each)).isTrue();
        }
      }
      // The same number twice.
      try (Socket socket = peer.join(rig.name(), life++)) {
        socket.getOutputStream().write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
        socket.getOutputStream().write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
      // Bytes before they were asked for, and other bytes than were asked for.
      try (Socket socket = peer.join(rig.name(), life++)) {
        socket.getOutputStream().write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
        socket.getOutputStream().write(frame(ANNOUNCED, 0, 1, LARGE));
        assertThat(RawPeer.isClosed(socket)).isTrue();
      }
      rig.endpoint().receiveTagged(Rig.buffer(LARGE), TagPattern.exactly(8), "r");
      for (int shorter = 1; shorter <= LARGE; shorter += LARGE - 1) {
        try (Socket socket = peer.join(rig.name(), life++)) {
          socket.getOutputStream().write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
          assertThat(readFrame(socket, 16)).isEqualTo(frame(CLEAR_TO_SEND, 0, 1, 0));
          socket.getOutputStream().write(frame(ANNOUNCED, 0, 1, LARGE - shorter));
          assertThat(RawPeer.isClosed(socket)).isTrue();
        }
      }
    }
  }

  @Test
  @DisplayName("When the sender leaves, receives wait for another message, and none is left over")
  void senderLeaves() throws Exception {
    try (Rig rig = Rig.reliable(automatic());
        Rig other = Rig.reliable(automatic());
        RawPeer peer = new RawPeer()) {
      peer.version = 1;
      MemorySegment buffer = Rig.buffer(LARGE);
      rig.endpoint().receiveTagged(buffer, TagPattern.exactly(8), "posted");
      for (int sent : new int[] {-1, 0, 1_000}) {
        try (Socket socket = peer.join(rig.name(), 10 + sent)) {
          OutputStream out = socket.getOutputStream();
          out.write(frame(READY_TO_SEND, 0, 1, 0, 8, LARGE));
          out.write(frame(READY_TO_SEND, 0, 2, 0, 9, LARGE));
          assertThat(readFrame(socket, 16)).isEqualTo(frame(CLEAR_TO_SEND, 0, 1, 0));
          if (sent >= 0) {
            out.write(frame(ANNOUNCED, 0, 1, LARGE));
            out.write(new byte[sent]);
          }
        }
      }
      other
          .endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(content(LARGE, 6))
                  .destination(other.insert(rig))
                  .tag(8)
                  .context("s"));
      Completion.Success received = success(rig.next());
      assertThat(received.context()).isEqualTo("posted");
      Content.verify(buffer, 6);
      success(other.next());
      // What was announced and not taken is gone.
      rig.endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .pattern(TagPattern.exactly(9))
                  .mode(ReceiveMode.PEEK)
                  .context("peek"));
      assertThat(failure(rig.next()).errno()).isEqualTo(Errno.ENOMSG);
    }
  }

  @Test
  @DisplayName("When the receiver leaves, what was announced fails, and what was not waits")
  void receiverLeaves() throws Exception {
    try (Rig rig = announcingToLibfabric();
        RawPeer peer = new RawPeer()) {
      peer.version = 0x81;
      long handle = rig.vector.insert(peer.name());
      MemorySegment large = content(LARGE, 4);
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest().memory(large).destination(handle).tag(7).context("first"));
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(large)
                  .destination(handle)
                  .tag(7)
                  .context("second")
                  .completes(CompletionLevel.DELIVERED));
      try (Socket socket = peer.accept(3)) {
        readFrame(socket, 32);
        byte[] second = readFrame(socket, 32);
        socket.getOutputStream().write(frame(CLEAR_TO_SEND, 0, second[4], 0));
        readFrame(socket, 16 + 1_000);
      }
      List<Object> contexts = List.of(failure(rig.next()).context(), failure(rig.next()).context());
      assertThat(contexts).containsExactlyInAnyOrder("first", "second");
      rig.endpoint()
          .sendTagged(
              new TaggedSendRequest().memory(large).destination(handle).tag(7).context("third"));
      try (Socket socket = peer.accept(3)) {
        byte[] third = readFrame(socket, 32);
        socket.getOutputStream().write(frame(CLEAR_TO_SEND, 0, third[4], 0));
        RawPeer.read(socket, 16 + LARGE);
        assertThat(success(rig.next()).context()).isEqualTo("third");
      }
    }
  }
}
