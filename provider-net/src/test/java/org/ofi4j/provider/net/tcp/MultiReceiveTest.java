// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.ReceiveMode;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.provider.net.Rig;

/** Buffers that take several messages. */
class MultiReceiveTest {
  private static final long RELEASED = CompletionFlag.MULTI_RECEIVE.mask();

  static List<Hints> kinds() {
    return Rig.tcpKinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.MULTI_RECEIVE))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void messagesStandOneBehindTheOther(Hints hints) throws Exception {
    try (Rig server = Rig.reliable(hints, options -> options.withMinMultiReceive(20));
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      client.insert(server);
      MemorySegment first = Rig.buffer(100);
      MemorySegment second = Rig.buffer(100);
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(first)
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("first"));
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(second)
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("second"));
      // Nine fit until less than 20 bytes are left.
      for (int i = 0; i < 12; i++) {
        client.endpoint().inject(Rig.message("message " + (char) ('a' + i)), 0);
      }
      for (int i = 0; i < 12; i++) {
        Completion.Success next = (Completion.Success) server.next(client);
        assertThat(next.context()).isEqualTo(i < 9 ? "first" : "second");
        assertThat(next.tag()).isEqualTo(9L * (i % 9));
        assertThat(next.flags() & RELEASED).isEqualTo(i == 8 ? RELEASED : 0);
        MemorySegment buffer = i < 9 ? first : second;
        assertThat(Rig.text(buffer.asSlice(next.tag()), next.length()))
            .isEqualTo("message " + (char) ('a' + i));
      }
      // One that is longer than what is left is truncated.
      client.endpoint().send(Rig.buffer(200), 0, null);
      Completion.Failure truncated = (Completion.Failure) server.next(client);
      assertThat(truncated.errno()).isEqualTo(Errno.ETRUNC);
      assertThat(truncated.length()).isEqualTo(73);
      assertThat(truncated.overflow()).isEqualTo(127);
      assertThat(truncated.flags() & RELEASED).isEqualTo(RELEASED);
    }
  }

  /** Messages that came first go into the buffer, and messages of several peers at a time. */
  @ParameterizedTest
  @MethodSource("kinds")
  void largeMessagesOfSeveralPeers(Hints hints) throws Exception {
    int size = 300_000;
    try (Rig server = Rig.reliable(hints);
        Rig one = Rig.reliable(hints);
        Rig two = Rig.reliable(hints)) {
      long ofOne = server.insert(one);
      server.insert(two);
      one.insert(server);
      two.insert(server);
      for (int i = 0; i < 4; i++) {
        one.endpoint().send(Rig.buffer(size).fill((byte) 1), 0, "sent");
        two.endpoint().send(Rig.buffer(size).fill((byte) 2), 0, "sent");
      }
      MemorySegment buffer = Rig.buffer(8L * size);
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(buffer)
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("all"));
      boolean[] places = new boolean[8];
      for (int i = 0; i < 8; i++) {
        Completion.Success next = (Completion.Success) server.next(one, two);
        assertThat(next.length()).isEqualTo(size);
        assertThat(next.flags() & RELEASED).isEqualTo(i == 7 ? RELEASED : 0);
        int place = (int) (next.tag() / size);
        assertThat(next.tag() % size).isZero();
        assertThat(places[place]).isFalse();
        places[place] = true;
        byte expected = (byte) (next.source() == ofOne ? 1 : 2);
        byte[] bytes = buffer.asSlice(next.tag(), size).toArray(ValueLayout.JAVA_BYTE);
        for (byte each : bytes) {
          if (each != expected) {
            throw new AssertionError("message " + i + " is not of " + next.source());
          }
        }
      }
    }
  }

  /** However many empty messages come, what the queue cannot hold stays with the sender. */
  @ParameterizedTest
  @MethodSource("kinds")
  void messagesWithoutBytes(Hints hints) throws Exception {
    int messages = 20_000;
    try (Rig server =
            Rig.reliable(hints, CompletionQueueOptions.of(CompletionFormat.TAGGED).withSize(8));
        Rig client = Rig.reliable(hints)) {
      server.insert(client);
      client.insert(server);
      server
          .endpoint()
          .receive(
              new ReceiveRequest()
                  .memory(Rig.buffer(100))
                  .mode(ReceiveMode.SEVERAL_MESSAGES)
                  .context("empty"));
      int sent = 0;
      int received = 0;
      while (received < messages) {
        while (sent < messages
            && client.endpoint().tryInject(new SendRequest().destination(0).data(sent))) {
          sent++;
        }
        Completion.Success next = (Completion.Success) server.next(client);
        assertThat(next.data()).isEqualTo(received);
        assertThat(next.tag()).isZero();
        received++;
      }
      assertThat(server.endpoint().cancel("empty")).isTrue();
      Completion.Failure cancelled = (Completion.Failure) server.next();
      assertThat(cancelled.errno()).isEqualTo(Errno.ECANCELED);
      assertThat(cancelled.flags() & RELEASED).isEqualTo(RELEASED);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void refusals(Hints hints) {
    try (Rig server = Rig.reliable(hints)) {
      assertThatThrownBy(() ->
              server
                  .endpoint()
                  .receiveTagged(
                      new TaggedReceiveRequest()
                          .memory(Rig.buffer(8))
                          .pattern(TagPattern.exactly(0))
                          .mode(ReceiveMode.SEVERAL_MESSAGES)
                          .context("tagged")))
          .isInstanceOf(FabricException.class);
      assertThatThrownBy(() -> EndpointOptions.none().withMinMultiReceive(-1))
          .isInstanceOf(FabricException.class);
    }
    try (Rig without = Rig.reliable(Rig.tcpKinds().getFirst())) {
      assertThatThrownBy(() ->
              without
                  .endpoint()
                  .receive(
                      new ReceiveRequest()
                          .memory(Rig.buffer(8))
                          .mode(ReceiveMode.SEVERAL_MESSAGES)
                          .context("x")))
          .isInstanceOf(FabricException.class);
    }
  }
}
