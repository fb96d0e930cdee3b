// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Messages that come before their receives: floods of them, and looking for one. */
class EarlyMessagesTest {
  private static final int FEW = 4;

  static List<Hints> kinds() {
    return Rig.tcpKinds();
  }

  /** Sends numbered messages for a while, and a few at least. */
  private static int flood(Rig from, long to, int first, int size, Rig... others)
      throws InterruptedException {
    int next = first;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
    while (System.nanoTime() - end < 0 || next - first < FEW) {
      MemorySegment message = MemorySegment.ofArray(new byte[size]);
      message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, next);
      if (from.endpoint()
          .trySendTagged(new TaggedSendRequest().memory(message).destination(to).tag(next % 3))) {
        next++;
      } else {
        from.move(Duration.ZERO);
        for (Rig other : others) {
          other.move(Duration.ofMillis(1));
        }
      }
    }
    return next;
  }

  /**
   * A peer that sends without end is held back by its connection, and others are not; then all that
   * it has sent comes in order.
   */
  @ParameterizedTest
  @MethodSource("kinds")
  void aFloodHoldsBackItsSenderAlone(Hints hints) throws Exception {
    for (int size : new int[] {16, 3_000, 700_000}) {
      try (Rig server = Rig.reliable(hints);
          Rig flooder = Rig.reliable(hints);
          Rig other = Rig.reliable(hints)) {
        long ofFlooder = server.insert(flooder);
        long ofOther = server.insert(other);
        flooder.insert(server);
        other.insert(server);
        int sent = flood(flooder, 0, 0, size, server);
        server.endpoint().receive(Rig.buffer(8), "of other");
        other.endpoint().inject(Rig.message("x"), 0);
        assertThat(Rig.success(server.next(other)).source()).isEqualTo(ofOther);
        // Every third one by its tag, then the rest: the last of the first kind are far behind.
        MemorySegment buffer = Rig.buffer(size);
        int expected = 1;
        server.endpoint().receiveTagged(buffer, TagPattern.exactly(1), "tag 1");
        Completion.Success first = Rig.success(server.next(flooder));
        assertThat(first.source()).isEqualTo(ofFlooder);
        assertThat(buffer.get(ValueLayout.JAVA_INT, 0)).isEqualTo(expected);
        int seen = 1;
        int last = -1;
        while (seen < sent) {
          server.endpoint().receiveTagged(buffer, TagPattern.any(), "any");
          Completion next = server.next(flooder);
          assertThat(next).isInstanceOf(Completion.Success.class);
          int number = buffer.get(ValueLayout.JAVA_INT, 0);
          assertThat(number).isEqualTo(last + 1 == 1 ? 2 : last + 1);
          last = number;
          seen++;
        }
        assertThat(last).isEqualTo(sent - 1);
      }
    }
  }

  /** What is paused is read on when there is room, although nothing takes it. */
  @ParameterizedTest
  @MethodSource("kinds")
  void roomThatIsMadeIsUsed(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints, EarlyMessages.defaults().withPerPeer(1_000_000));
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      client.insert(server);
      MemorySegment large = Rig.buffer(600_000);
      client.endpoint().send(large, 0, null);
      client.endpoint().send(large, 0, null);
      client
          .endpoint()
          .injectTagged(
              new TaggedSendRequest().memory(Rig.message("behind")).destination(0).tag(7));
      server.endpoint().receiveTagged(Rig.buffer(8), TagPattern.exactly(7), "behind");
      assertThat(settleAndPoll(server, client)).isNull();
      // The first one gives up its room; the second moves up, and what stands behind it comes.
      server.endpoint().receive(large, "first");
      assertThat(server.next(client).context()).isEqualTo("first");
      assertThat(server.next(client).context()).isEqualTo("behind");
      server.endpoint().receive(large, "second");
      assertThat(Rig.success(server.next(client)).length()).isEqualTo(600_000);
    }
  }

  private static @Nullable Completion settleAndPoll(Rig server, Rig client) throws Exception {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(150);
    while (System.nanoTime() - end < 0) {
      client.move(Duration.ofMillis(1));
      Completion next = server.next(Duration.ofMillis(1));
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  private static Completion peek(Rig server, long tag, Object context, ReceiveMode mode, Rig client)
      throws Exception {
    while (true) {
      server
          .endpoint()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .pattern(TagPattern.exactly(tag))
                  .mode(mode)
                  .context(context));
      Completion found = server.next(client);
      if (found instanceof Completion.Success) {
        return found;
      }
      assertThat(((Completion.Failure) found).errno()).isEqualTo(Errno.ENOMSG);
    }
  }

  /** What MPI_Iprobe does until a message is there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName(
      "A loop that looks for a message, and reads no more than that it is not there, finds it")
  void looksUntilItIsThere(boolean polls) throws Exception {
    try (Rig server = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        Rig client = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
      client.insert(server);
      client
          .endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("x")).destination(0).tag(5));
      List<Completion> read = new ArrayList<>();
      while (read.isEmpty() || read.getLast() instanceof Completion.Failure) {
        read.clear();
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(MemorySegment.NULL)
                    .pattern(TagPattern.exactly(5))
                    .mode(ReceiveMode.PEEK)
                    .context("peek"));
        if (polls) {
          server.queue.poll(Rig.collector(read), 1);
        } else {
          read.add(readEither(server));
        }
      }
    }
  }

  /** As one reads with the calls that keep successes and failures apart. */
  private static Completion readEither(Rig rig) {
    try {
      return rig.queue.read();
    } catch (FabricException failed) {
      return rig.queue.readError();
    }
  }

  /** What a queue that always has something keeps from being seen. */
  @Test
  @DisplayName("A loop that never finds its queue empty moves data")
  void queueThatIsNeverEmpty() throws Exception {
    try (Rig server = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
        Rig client = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
      client.insert(server);
      client
          .endpoint()
          .injectTagged(new TaggedSendRequest().memory(Rig.message("x")).destination(0).tag(5));
      MemorySegment buffer = Rig.buffer(8);
      server.endpoint().receiveTagged(buffer, TagPattern.exactly(5), "wanted");
      List<Completion> read = new ArrayList<>();
      do {
        read.clear();
        server.endpoint().receiveTagged(buffer, TagPattern.exactly(9), "withdrawn");
        server.endpoint().cancel("withdrawn");
        server.queue.poll(Rig.collector(read), 1);
      } while (!read.getFirst().context().equals("wanted"));
    }
  }

  /**
   * What fi_rdm_tagged_peek of libfabric's tests does, for messages here and still on their way.
   */
  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName("Messages are looked at, put aside and dropped")
  void peekClaimDiscard(Hints hints) throws Exception {
    for (int size : new int[] {0, 100, 2_000_000}) {
      try (Rig server = Rig.reliable(hints);
          Rig client = Rig.reliable(hints)) {
        long ofClient = server.insert(client);
        client.insert(server);
        MemorySegment message = Rig.buffer(size).fill((byte) 5);
        MemorySegment buffer = Rig.buffer(size);
        for (int tag = 0; tag < 5; tag++) {
          client
              .endpoint()
              .sendTagged(
                  new TaggedSendRequest().memory(message).destination(0).tag(tag).data(100 + tag));
        }
        long flags =
            Flag.maskOf(
                CompletionFlag.TAGGED, CompletionFlag.RECEIVE, CompletionFlag.REMOTE_CQ_DATA);
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .pattern(TagPattern.exactly(9))
                    .mode(ReceiveMode.PEEK)
                    .context("none"));
        assertThat(((Completion.Failure) server.next(client)).errno()).isEqualTo(Errno.ENOMSG);
        assertThat(peek(server, 0, "peek", ReceiveMode.PEEK, client))
            .isEqualTo(
                Completion.Success.of("peek", flags)
                    .length(size)
                    .data(100)
                    .source(ofClient)
                    .build());
        // Large messages stand in each other's way: they have to be taken in order.
        assertThat(peek(server, 0, "dropped", ReceiveMode.PEEK_AND_DISCARD, client))
            .isEqualTo(
                Completion.Success.of("dropped", flags)
                    .length(size)
                    .data(100)
                    .source(ofClient)
                    .build());
        assertThat(peek(server, 1, "claimed", ReceiveMode.PEEK_AND_CLAIM, client))
            .isEqualTo(
                Completion.Success.of("claimed", flags)
                    .length(size)
                    .data(101)
                    .tag(1)
                    .source(ofClient)
                    .build());
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(MemorySegment.NULL)
                    .pattern(TagPattern.exactly(1))
                    .mode(ReceiveMode.PEEK)
                    .context("again"));
        assertThat(((Completion.Failure) server.next(client)).errno()).isEqualTo(Errno.ENOMSG);
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .pattern(TagPattern.exactly(1))
                    .mode(ReceiveMode.CLAIM)
                    .context("not it"));
        assertThat(((Completion.Failure) server.next(client)).errno()).isEqualTo(Errno.ENOMSG);
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .pattern(TagPattern.exactly(1))
                    .mode(ReceiveMode.CLAIM)
                    .context("claimed"));
        assertThat(server.next(client))
            .isEqualTo(
                Completion.Success.of("claimed", flags)
                    .length(size)
                    .data(101)
                    .tag(1)
                    .source(ofClient)
                    .build());
        assertThat(buffer.mismatch(message)).isEqualTo(-1);
        assertThat(
                Rig.success(peek(server, 2, "claimed", ReceiveMode.PEEK_AND_CLAIM, client))
                    .length())
            .isEqualTo(size);
        server
            .endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(MemorySegment.NULL)
                    .pattern(TagPattern.exactly(2))
                    .mode(ReceiveMode.DISCARD_CLAIMED)
                    .context("claimed"));
        assertThat(server.next(client)).isInstanceOf(Completion.Success.class);
        buffer.fill((byte) 0);
        for (int tag = 3; tag < 5; tag++) {
          server.endpoint().receiveTagged(buffer, TagPattern.exactly(tag), tag);
          assertThat(server.next(client))
              .isEqualTo(
                  Completion.Success.of(tag, flags)
                      .length(size)
                      .data(100 + tag)
                      .tag(tag)
                      .source(ofClient)
                      .build());
          assertThat(buffer.mismatch(message)).isEqualTo(-1);
        }
        assertThatThrownBy(() ->
                server
                    .endpoint()
                    .receive(new ReceiveRequest().memory(buffer).mode(ReceiveMode.PEEK_AND_CLAIM)))
            .isInstanceOf(FabricException.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void cancelledReceivesTakeNothing(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints);
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      client.insert(server);
      Object[] contexts = {"context 0", "context 1", "context 2"};
      for (int i = 0; i < 3; i++) {
        server
            .endpoint()
            .receiveTagged(Rig.buffer(8), new TagPattern(7, i == 1 ? 0xF : 0), contexts[i]);
      }
      assertThat(server.endpoint().cancel(contexts[0])).isTrue();
      assertThat(server.endpoint().cancel(contexts[1])).isTrue();
      assertThat(server.endpoint().cancel(contexts[0])).isFalse();
      for (int i = 0; i < 2; i++) {
        Completion.Failure failure = (Completion.Failure) server.next();
        assertThat(failure.errno()).isEqualTo(Errno.ECANCELED);
        assertThat(failure.context()).isSameAs(contexts[i]);
      }
      client
          .endpoint()
          .injectTagged(
              new TaggedSendRequest().memory(Rig.message("x")).destination(0).tag(7).data(0xDA7A));
      assertThat(server.next(client))
          .isInstanceOfSatisfying(
              Completion.Success.class,
              message -> {
                assertThat(message.context()).isSameAs(contexts[2]);
                assertThat(message.data()).isEqualTo(0xDA7A);
              });
    }
  }

  @Test
  @DisplayName("A claim whose message breaks off fails, and takes no other message")
  void claimOfWhatBreaksOff() throws Exception {
    try (Rig server = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer()) {
      server.vector.insert(peer.name());
      MemorySegment ordinary = Rig.buffer(8);
      try (Socket socket = peer.join(server.name(), 1)) {
        byte[] frame = peer.frame("message");
        socket.getOutputStream().write(frame, 0, frame.length - 3);
        Completion found;
        do {
          server
              .endpoint()
              .receive(
                  new ReceiveRequest()
                      .memory(MemorySegment.NULL)
                      .mode(ReceiveMode.PEEK_AND_CLAIM)
                      .context("claim"));
          found = server.next();
        } while (found instanceof Completion.Failure);
        server.endpoint().receive(Rig.buffer(8), "first");
        server.endpoint().receive(ordinary, "second");
        server
            .endpoint()
            .receive(
                new ReceiveRequest()
                    .memory(Rig.buffer(8))
                    .mode(ReceiveMode.CLAIM)
                    .context("claim"));
        assertThat(server.endpoint().cancel("first")).isTrue();
        assertThat(server.next().context()).isEqualTo("first");
        RawPeer.reset(socket);
      }
      try (Socket socket = peer.join(server.name(), 2)) {
        socket.getOutputStream().write(peer.frame("next"));
        assertThat(server.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                lost -> {
                  assertThat(lost.context()).isEqualTo("claim");
                  assertThat(lost.errno()).isEqualTo(Errno.ENOMSG);
                });
        assertThat(server.next().context()).isEqualTo("second");
        assertThat(Rig.text(ordinary, 4)).isEqualTo("next");
        assertThat(server.endpoint().cancel("claim")).isFalse();
      }
    }
  }
}
