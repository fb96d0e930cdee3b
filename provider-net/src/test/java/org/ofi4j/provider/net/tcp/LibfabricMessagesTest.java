// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Flag;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.OutgoingRequest;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Messages from and to a C program on libfabric; both sides check every byte. */
class LibfabricMessagesTest {
  private static final int[] SIZES = {0, 1, 7, 64, 128, 1000, 16_384, 16_385, 65_536, 1_000_003};

  /** How many bytes libfabric's tcp takes with inject. */
  private static final int INJECTABLE = 128;

  private static final int LARGE = 48_000_001;

  /** libfabric 1.17 matches all 64 bits, but reports tags without the highest. */
  private static final long TAG = 0x7000_0000_0000_0001L;

  private static final long DATA = 0xFEDC_BA98_7654_3210L;

  private enum Way {
    PLAIN(""),
    INJECT(" inject"),
    DELIVERED(" delivered"),
    PIECES(" pieces=3"),
    PIECES_DELIVERED(" delivered pieces=4");

    private final String words;

    Way(String words) {
      this.words = words;
    }
  }

  /** A message: its number is its content. */
  private record Message(long number, long size, boolean tagged, boolean withData, Way way) {
    long tag() {
      return tagged ? TAG + (number << 8) : 0;
    }

    long data() {
      return withData ? DATA ^ number : 0;
    }

    String options() {
      return (tagged ? " tag=0x" + Long.toHexString(tag()) : "")
          + (withData ? " data=0x" + Long.toHexString(data()) : "")
          + way.words;
    }

    /** As a receive of it completes. */
    long received() {
      return (tagged ? CompletionFlag.TAGGED : CompletionFlag.MSG).mask()
          | CompletionFlag.RECEIVE.mask()
          | (withData ? CompletionFlag.REMOTE_CQ_DATA.mask() : 0);
    }
  }

  /** One of them offers groups, which no C program knows. */
  static List<Hints> kinds() {
    List<Hints> kinds = new ArrayList<>(Rig.tcpKinds());
    kinds.add(kinds.getFirst().withMaxGroupId(1_000));
    return kinds;
  }

  private static List<Message> messages() {
    List<Message> messages = new ArrayList<>();
    for (int size : SIZES) {
      for (Way way : Way.values()) {
        for (int kind = 0; kind < 4; kind++) {
          if (way != Way.INJECT || size <= INJECTABLE) {
            messages.add(
                new Message(messages.size() + 1, size, (kind & 1) != 0, (kind & 2) != 0, way));
          }
        }
      }
    }
    return messages;
  }

  /** One of each side, which know each other. */
  private static final class Pair implements AutoCloseable {
    final LibfabricPeer peer;
    final Rig rig;
    final long toPeer;
    final long toUs;
    private final Arena arena = Arena.ofShared();
    private final Map<Object, Completion> ended = new HashMap<>();

    Pair(Hints hints) throws Exception {
      rig = Rig.reliable(hints);
      peer = LibfabricPeer.start("messages", node(rig.name()));
      peer.meanwhile(() -> rig.move(Duration.ZERO));
      toPeer = rig.vector.insert(peer.name());
      toUs = peer.insert(rig.name());
    }

    private static String node(FabricAddress address) {
      return address instanceof FabricAddress.SocketAddress6 ? "::1" : "127.0.0.1";
    }

    MemorySegment memory(long size) {
      return arena.allocate(size);
    }

    MemorySegment receive(Message message) {
      MemorySegment buffer = memory(message.size());
      if (message.tagged()) {
        rig.endpoint()
            .receiveTagged(
                buffer, TagPattern.exactly(message.tag()), "receive " + message.number());
      } else {
        rig.endpoint().receive(buffer, "receive " + message.number());
      }
      return buffer;
    }

    void send(Message message) {
      MemorySegment content = memory(message.size());
      Content.fill(content, message.number());
      if (message.tagged()) {
        rig.endpoint()
            .sendTagged(said(new TaggedSendRequest().tag(message.tag()), message, content));
      } else {
        rig.endpoint().send(said(new SendRequest(), message, content));
      }
      if (message.way() == Way.INJECT) {
        content.fill((byte) 0x55);
      }
    }

    /** A request that says what a message is, and how it is sent. */
    private <R extends OutgoingRequest<R>> R said(
        R request, Message message, MemorySegment content) {
      if (message.way().words.contains("pieces")) {
        request.parts(content.asSlice(0, message.size() / 3), content.asSlice(message.size() / 3));
      } else {
        request.memory(content);
      }
      if (message.withData()) {
        request.data(message.data());
      }
      if (message.way().words.contains("delivered")) {
        request.completes(CompletionLevel.DELIVERED);
      }
      return request
          .destination(toPeer)
          .context("send " + message.number())
          .injected(message.way() == Way.INJECT);
    }

    /** Waits for what has a context. */
    Completion await(String context) throws InterruptedException {
      while (!ended.containsKey(context)) {
        Completion next = rig.next();
        assertThat(ended.put(next.context(), next)).as("%s ends once", next.context()).isNull();
      }
      return ended.get(context);
    }

    void assertReceived(Message message, MemorySegment buffer) throws InterruptedException {
      assertThat(await("receive " + message.number()))
          .as("%s", message)
          .isEqualTo(
              Completion.Success.of("receive " + message.number(), message.received())
                  .length(message.size())
                  .data(message.data())
                  .tag(message.tag())
                  .source(toPeer)
                  .build());
      Content.verify(buffer, message.number());
    }

    /** What the peer says about a message that it has received. */
    void assertReceivedThere(Message message) {
      assertThat(peer.ask("await " + message.number()))
          .as("%s", message)
          .isEqualTo(
              "received %d %x %x %x %d"
                  .formatted(
                      message.size(), message.received(), message.data(), message.tag(), toUs));
    }

    void assertSent(Message message) throws InterruptedException {
      assertThat(await("send " + message.number()))
          .as("%s", message)
          .isEqualTo(
              Completion.Success.of(
                      "send " + message.number(),
                      Flag.maskOf(
                          message.tagged() ? CompletionFlag.TAGGED : CompletionFlag.MSG,
                          CompletionFlag.SEND))
                  .build());
    }

    @Override
    public void close() {
      peer.close();
      rig.close();
      arena.close();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("From C: every size, way, tag and data, into receives that wait for them")
  void fromC(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints)) {
      for (Message message : messages()) {
        MemorySegment buffer = pair.receive(message);
        pair.peer.ask(sendOf(pair, message), "posted");
        pair.assertReceived(message, buffer);
        pair.peer.ask("await " + message.number(), "sent");
      }
      pair.peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("To C: every size, way, tag and data, into receives that wait for them")
  void toC(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints)) {
      for (Message message : messages()) {
        pair.peer.ask(receiveOf(message), "posted");
        pair.send(message);
        pair.assertSent(message);
        pair.assertReceivedThere(message);
      }
      pair.peer.finish();
    }
  }

  private static String sendOf(Pair pair, Message message) {
    return "send %d %d %d%s"
        .formatted(message.number(), pair.toUs, message.size(), message.options());
  }

  private static String receiveOf(Message message) {
    return "receive %d %d%s"
        .formatted(
            message.number(),
            message.size(),
            message.tagged() ? " tag=0x" + Long.toHexString(message.tag()) : "");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Both directions at once, messages before their receives, tagged ones in reverse")
  void early(Hints hints) throws Exception {
    try (Pair pair = new Pair(hints)) {
      List<Message> there = new ArrayList<>();
      List<Message> back = new ArrayList<>();
      for (int i = 1; i <= 24; i++) {
        there.add(new Message(i, 500L * i, i % 2 == 0, i % 3 == 0, Way.PLAIN));
        back.add(new Message(100 + i, 700L * i, i % 2 == 0, i % 3 == 0, Way.PLAIN));
      }
      for (int i = 0; i < there.size(); i++) {
        pair.send(there.get(i));
        pair.peer.ask(sendOf(pair, back.get(i)), "posted");
      }
      List<Message> order = new ArrayList<>();
      for (int i = 0; i < there.size(); i++) {
        // Those without a tag come in order, at even places; the others from the last to the first.
        order.add(there.get(i % 2 == 0 ? i : there.size() - i));
      }
      for (Message message : order) {
        pair.peer.ask(receiveOf(message), "posted");
      }
      for (Message message : order) {
        pair.peer.say("await " + message.number());
        Message other = back.get(there.indexOf(message));
        pair.assertReceived(other, pair.receive(other));
        assertThat(pair.peer.hear("await", "received " + message.size() + " ")).isNotEmpty();
        pair.assertSent(message);
        pair.peer.ask("await " + other.number(), "sent");
      }
      pair.peer.finish();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Many megabytes in both directions at once")
  void large(Hints hints) throws Exception {
    exchange(hints, LARGE);
  }

  @Test
  @Tag("long")
  @DisplayName("More than a gigabyte in both directions at once, or -Dofi4j.huge bytes")
  void huge() throws Exception {
    long size = Long.getLong("ofi4j.huge", 1L << 30) + 12_345;
    exchange(Rig.tcp("127.0.0.1", Progress.AUTO), size);
  }

  private static void exchange(Hints hints, long size) throws Exception {
    for (Way way : List.of(Way.PLAIN, Way.DELIVERED)) {
      try (Pair pair = new Pair(hints)) {
        Message there = new Message(1, size, true, true, way);
        Message back = new Message(2, size, false, true, way);
        MemorySegment buffer = pair.receive(back);
        pair.peer.ask(receiveOf(there), "posted");
        pair.peer.ask(sendOf(pair, back), "posted");
        pair.peer.say("await 1");
        pair.send(there);
        pair.assertReceived(back, buffer);
        pair.assertSent(there);
        assertThat(pair.peer.hear("await 1", "received " + size + " ")).isNotEmpty();
        pair.peer.ask("await 2", "sent");
        pair.peer.finish();
      }
    }
  }

  @Test
  @DisplayName("A message that is too long for the receive is truncated, in both directions")
  void truncated() throws Exception {
    try (Pair pair = new Pair(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      pair.peer.ask("receive 1 100", "posted");
      pair.send(new Message(1, 1_000, false, false, Way.PLAIN));
      pair.assertSent(new Message(1, 1_000, false, false, Way.PLAIN));
      assertThat(pair.peer.ask("await 1", "failed 265 ")).isNotEmpty();
      pair.rig.endpoint().receive(pair.memory(100), "short");
      pair.peer.ask("send 2 " + pair.toUs + " 1000", "posted");
      Completion.Failure failure = (Completion.Failure) pair.await("short");
      assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
      assertThat(failure.overflow()).isEqualTo(900);
      // The connection goes on.
      Message next = new Message(3, 5_000, true, false, Way.DELIVERED);
      pair.peer.ask(receiveOf(next), "posted");
      pair.send(next);
      pair.assertReceivedThere(next);
      pair.assertSent(next);
      pair.peer.finish();
    }
  }

  /** The C program never answers with a block, whoever connects. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("AV-199")
  @DisplayName("A C program that was offered groups takes none, and everything else")
  void groupsAreRefused(boolean itConnects) throws Exception {
    Hints hints = Rig.tcp("127.0.0.1", Progress.MANUAL).withMaxGroupId(1_000);
    try (Pair pair = new Pair(hints)) {
      if (itConnects) {
        Message first = new Message(5, 100, false, false, Way.PLAIN);
        MemorySegment buffer = pair.receive(first);
        pair.peer.ask(sendOf(pair, first), "posted");
        pair.assertReceived(first, buffer);
        pair.peer.ask("await 5", "sent");
      }
      for (int group : new int[] {1, 1_000}) {
        Object context = "group " + group;
        pair.rig
            .endpoint()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(pair.memory(100))
                    .destination(Handles.inGroup(pair.toPeer, group))
                    .tag(TAG)
                    .context(context));
        Completion.Failure failure = (Completion.Failure) pair.await("group " + group);
        assertThat(failure.errno()).isEqualTo(Errno.EOPNOTSUPP);
        assertThat(failure.reason()).contains("has no peer groups", "C programs");
      }
      for (Message there :
          List.of(
              new Message(1, 1_000, true, true, Way.DELIVERED),
              new Message(2, 1_000_003, false, false, Way.PLAIN))) {
        pair.peer.ask(receiveOf(there), "posted");
        pair.send(there);
        pair.assertReceivedThere(there);
        pair.assertSent(there);
      }
      Message back = new Message(3, 1_000, true, true, Way.PLAIN);
      MemorySegment buffer = pair.receive(back);
      pair.peer.ask(sendOf(pair, back), "posted");
      pair.assertReceived(back, buffer);
      pair.peer.ask("await 3", "sent");
      pair.peer.finish();
    }
  }

  /** Without this the other tests would prove less than they say. */
  @Test
  @DisplayName("Both sides notice a wrong byte")
  void wrongBytes() throws Exception {
    try (Pair pair = new Pair(Rig.tcp("127.0.0.1", Progress.AUTO))) {
      MemorySegment memory = pair.memory(1_003);
      Content.fill(memory, 7);
      Content.verify(memory, 7);
      memory.set(ValueLayout.JAVA_BYTE, 1_001, (byte) ~memory.get(ValueLayout.JAVA_BYTE, 1_001));
      assertThatThrownBy(() -> Content.verify(memory, 7)).hasMessageContaining("byte 1001 of 1003");
      pair.peer.ask("receive 7 1003", "posted");
      pair.rig.endpoint().send(memory, pair.toPeer, "send 7");
      assertThatThrownBy(() -> pair.peer.ask("await 7"))
          .hasMessageContaining("byte 1001 of 1003 of content 7");
      assertThat(pair.peer.process().waitFor()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "What fi_unexpected_msg does: many early messages, and then one that is wanted first")
  void earlyMessages() throws Exception {
    int count = 60;
    int size = 1 << 20;
    try (Pair pair = new Pair(Rig.tcp("127.0.0.1", Progress.AUTO))) {
      for (int i = 0; i < count; i++) {
        pair.peer.ask("send %d %d %d tag=%d".formatted(i, pair.toUs, size, i), "posted");
      }
      pair.peer.ask("send 1000 %d 8 tag=1000".formatted(pair.toUs), "posted");
      MemorySegment buffer = pair.memory(size);
      pair.rig.endpoint().receiveTagged(buffer, TagPattern.exactly(1_000), "wanted first");
      assertThat(Rig.success(pair.await("wanted first")).length()).isEqualTo(8);
      for (int i = 0; i < count; i++) {
        pair.rig.endpoint().receiveTagged(buffer, TagPattern.exactly(i), "early " + i);
        assertThat(Rig.success(pair.await("early " + i)).length()).isEqualTo(size);
        Content.verify(buffer, i);
        assertThat(pair.peer.ask("await " + i)).isEqualTo("sent");
      }
      assertThat(pair.peer.ask("await 1000")).isEqualTo("sent");
      pair.peer.finish();
    }
  }
}
