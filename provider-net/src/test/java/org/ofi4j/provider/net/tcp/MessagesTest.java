// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.Rig;

/** Messages between two endpoints of this process, each with a domain of its own. */
class MessagesTest {
  private static final long RECEIVED = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.RECEIVE);
  private static final long RECEIVED_TAGGED =
      Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.RECEIVE);
  private static final long SENT = Flag.maskOf(CompletionFlag.MSG, CompletionFlag.SEND);
  private static final long SENT_TAGGED = Flag.maskOf(CompletionFlag.TAGGED, CompletionFlag.SEND);

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-185")
  @Tag("AV-215")
  void theFirstSendConnects(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      long ofLeft = right.insert(left);
      MemorySegment buffer = Rig.buffer(64);
      right.endpoint().receive(buffer, "received");
      left.endpoint().send(Rig.message("hello"), toRight, "sent");
      assertThat(right.next(left))
          .isEqualTo(Completion.Success.of("received", RECEIVED).length(5).source(ofLeft).build());
      assertThat(Rig.text(buffer, 5)).isEqualTo("hello");
      assertThat(left.next(right)).isEqualTo(sent("sent", SENT));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("A reader whose time is always up before it waits gets its messages")
  void shortestWaits(Hints hints) throws Exception {
    Duration shortest = Duration.ofNanos(1);
    try (Rig rig = Rig.reliable(hints)) {
      long self = rig.insert(rig.endpoint());
      for (Object message : List.of("first", "second")) {
        rig.endpoint().receive(Rig.buffer(64), message);
        rig.endpoint().inject(Rig.message("hello"), self);
        Completion completion = null;
        while (completion == null) {
          completion = rig.queue.read(shortest);
        }
        assertThat(completion.context()).isEqualTo(message);
      }
    }
  }

  private static Completion sent(Object context, long flags) {
    return Completion.Success.of(context, flags).build();
  }

  /** Both sides send before either has heard of the other. */
  @ParameterizedTest
  @MethodSource("kinds")
  void bothConnectAtOnce(Hints hints) throws Exception {
    for (int i = 0; i < 20; i++) {
      try (Rig left = Rig.reliable(hints);
          Rig right = Rig.reliable(hints)) {
        long toRight = left.insert(right);
        long toLeft = right.insert(left);
        MemorySegment atLeft = Rig.buffer(8);
        MemorySegment atRight = Rig.buffer(8);
        left.endpoint().receive(atLeft, "left");
        right.endpoint().receive(atRight, "right");
        left.endpoint().inject(Rig.message("to right"), toRight);
        right.endpoint().inject(Rig.message("to left"), toLeft);
        assertThat(right.next(left))
            .isEqualTo(Completion.Success.of("right", RECEIVED).length(8).source(toLeft).build());
        assertThat(left.next(right))
            .isEqualTo(Completion.Success.of("left", RECEIVED).length(7).source(toRight).build());
        assertThat(Rig.text(atRight, 8)).isEqualTo("to right");
        assertThat(Rig.text(atLeft, 7)).isEqualTo("to left");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anEndpointSendsToItself(Hints hints) throws Exception {
    try (Rig rig = Rig.reliable(hints)) {
      long self = rig.insert(rig);
      MemorySegment buffer = Rig.buffer(8);
      for (int i = 0; i < 3; i++) {
        rig.endpoint().receive(buffer, "received");
        rig.endpoint().inject(Rig.message("me " + i), self);
        assertThat(rig.next())
            .isEqualTo(Completion.Success.of("received", RECEIVED).length(4).source(self).build());
        assertThat(Rig.text(buffer, 4)).isEqualTo("me " + i);
      }
    }
  }

  /** Messages that come early wait in order, and tags choose among them. */
  @ParameterizedTest
  @MethodSource("kinds")
  void earlyMessagesWait(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      long ofLeft = right.insert(left);
      for (int i = 0; i < 4; i++) {
        left.endpoint()
            .injectTagged(
                new TaggedSendRequest()
                    .memory(Rig.message("tagged " + i))
                    .destination(toRight)
                    .tag(i));
        left.endpoint().inject(Rig.message("plain " + i), toRight);
      }
      settle(left, right);
      MemorySegment buffer = Rig.buffer(16);
      right.endpoint().receiveTagged(buffer, TagPattern.exactly(2), "second tag");
      assertThat(right.next(left))
          .isEqualTo(
              Completion.Success.of("second tag", RECEIVED_TAGGED)
                  .length(8)
                  .tag(2)
                  .source(ofLeft)
                  .build());
      assertThat(Rig.text(buffer, 8)).isEqualTo("tagged 2");
      for (int i = 0; i < 4; i++) {
        right.endpoint().receive(buffer, "plain");
        assertThat(right.next(left))
            .isEqualTo(Completion.Success.of("plain", RECEIVED).length(7).source(ofLeft).build());
        assertThat(Rig.text(buffer, 7)).isEqualTo("plain " + i);
      }
      for (int tag : new int[] {0, 1, 3}) {
        right.endpoint().receiveTagged(buffer, TagPattern.any(), "any tag");
        assertThat(right.next(left))
            .isEqualTo(
                Completion.Success.of("any tag", RECEIVED_TAGGED)
                    .length(8)
                    .tag(tag)
                    .source(ofLeft)
                    .build());
        assertThat(Rig.text(buffer, 8)).isEqualTo("tagged " + tag);
      }
    }
  }

  /** Long enough, as a rule, for what was sent to arrive before its receive is posted. */
  private static void settle(Rig... rigs) throws Exception {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(30);
    while (System.nanoTime() - end < 0) {
      for (Rig rig : rigs) {
        rig.move(Duration.ofMillis(1));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tagsChooseTheReceive(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      right.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(0x10), "ten");
      right.endpoint().receiveTagged(Rig.buffer(8), new TagPattern(0x20, 0xF), "twenties");
      right.endpoint().receive(Rig.buffer(8), "plain");
      left.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("a"))
                  .destination(toRight)
                  .tag(0x25)
                  .context("1"));
      assertThat(right.next(left).context()).isEqualTo("twenties");
      left.endpoint().send(Rig.message("b"), toRight, "2");
      assertThat(right.next(left).context()).isEqualTo("plain");
      left.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("c"))
                  .destination(toRight)
                  .tag(0x10)
                  .context("3"));
      assertThat(right.next(left).context()).isEqualTo("ten");
      assertThat(left.next()).isEqualTo(sent("1", SENT_TAGGED));
      assertThat(left.next()).isEqualTo(sent("2", SENT));
      assertThat(left.next()).isEqualTo(sent("3", SENT_TAGGED));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void immediateDataAndDelivery(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      long ofLeft = right.insert(left);
      long flags = Flag.maskOf(TransferFlag.REMOTE_CQ_DATA, TransferFlag.DELIVERY_COMPLETE);
      left.endpoint()
          .sendTagged(
              new TaggedSendRequest()
                  .memory(Rig.message("x"))
                  .destination(toRight)
                  .tag(0x7A6)
                  .data(0xDA7A)
                  .context("sent")
                  .completes(CompletionLevel.DELIVERED));
      settle(left, right);
      right.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(0x7A6), "received");
      assertThat(right.next(left))
          .isEqualTo(
              Completion.Success.of(
                      "received", RECEIVED_TAGGED | CompletionFlag.REMOTE_CQ_DATA.mask())
                  .length(1)
                  .data(0xDA7A)
                  .tag(0x7A6)
                  .source(ofLeft)
                  .build());
      assertThat(left.next(right)).isEqualTo(sent("sent", SENT_TAGGED));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatDoesNotFitIsCounted(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      MemorySegment buffer = Rig.buffer(4);
      right.endpoint().receive(buffer, "short");
      right.endpoint().receive(Rig.buffer(8), "next");
      left.endpoint().inject(Rig.message("too long"), toRight);
      left.endpoint().inject(Rig.message("fits"), toRight);
      assertThat(right.next(left))
          .isInstanceOfSatisfying(
              Completion.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
                assertThat(failure.length()).isEqualTo(4);
                assertThat(failure.overflow()).isEqualTo(4);
              });
      assertThat(Rig.text(buffer, 4)).isEqualTo("too ");
      assertThat(right.next(left).context()).isEqualTo("next");
    }
  }

  static Stream<Arguments> sizes() {
    return Rig.tcpKinds().stream()
        .flatMap(hints ->
            LongStream.of(
                    0, 1, 15, 1_024, 4_096, 16_384, 16_385, 65_520, 65_521, 100_000, 1 << 20,
                    9 << 20)
                .mapToObj(size -> Arguments.of(hints, size)));
  }

  /** Every byte of every size arrives, from and to the heap and outside of it, posted or not. */
  @ParameterizedTest
  @MethodSource("sizes")
  void allSizesArrive(Hints hints, long size) throws Exception {
    Random random = new Random(size);
    byte[] bytes = new byte[(int) size];
    random.nextBytes(bytes);
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints);
        Arena arena = Arena.ofShared()) {
      long toRight = left.insert(right);
      right.insert(left);
      MemorySegment outside = arena.allocate(size).copyFrom(MemorySegment.ofArray(bytes));
      for (int i = 0; i < 6; i++) {
        MemorySegment buffer =
            i % 2 == 0 ? arena.allocate(size) : MemorySegment.ofArray(new byte[(int) size]);
        if (i < 4) {
          right.endpoint().receive(buffer, "received");
        }
        left.endpoint().send(i % 3 == 0 ? MemorySegment.ofArray(bytes) : outside, toRight, "sent");
        if (i >= 4) {
          settle(left, right);
          right.endpoint().receive(buffer, "received");
        }
        Completion.Success received = Rig.success(right.next(left));
        assertThat(received.context()).isEqualTo("received");
        assertThat(received.length()).isEqualTo(size);
        assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
        assertThat(left.next(right)).isEqualTo(sent("sent", SENT));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @Tag("AV-126")
  void removedPeersAreNotReached(Hints hints) throws Exception {
    try (Rig left = Rig.reliable(hints);
        Rig right = Rig.reliable(hints)) {
      long toRight = left.insert(right);
      left.vector.remove(toRight);
      assertThatThrownBy(() -> left.endpoint().send(Rig.message("x"), toRight, null))
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("EINVAL");
    }
  }
}
