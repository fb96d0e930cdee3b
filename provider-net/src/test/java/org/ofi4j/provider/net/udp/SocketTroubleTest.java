// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.TryAgainException;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.FakeChannel;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.SenderCache;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.endpoint.Staging;

/** Sockets that are full or fail: nothing is lost, reordered or ended by it. */
class SocketTroubleTest {
  private static final int SIZE = 8;

  private final Rig rig = new Rig(Rig.withSource(Rig.udp()));
  private final AddressVector vector = rig.vector;
  private final Peers peers = Peers.of(vector);
  private final AtomicBoolean waits = new AtomicBoolean();
  private final CompletionQueue queue = rig.queue;
  private final long peer = vector.insert(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
  private final FakeChannel channel = new FakeChannel();
  private final DatagramTransmitter transmitter =
      new DatagramTransmitter(
          channel,
          Completions.to(queue, false),
          new Destinations(peers, false, false, 0),
          new Staging.Pool(),
          SIZE,
          () -> waits.set(true));
  private final DatagramReceiver receiver =
      new DatagramReceiver(
          channel,
          new ReceiveOutcomes(Completions.to(queue, false), peers, Sources.KNOWN),
          new SenderCache(peers.format(), false, 0),
          new Staging.Pool(),
          SIZE,
          () -> {});

  @AfterEach
  void close() {
    transmitter.close();
    receiver.close();
    rig.close();
  }

  /** Whether the message is the first one that waits. */
  private boolean send(String text) {
    return post(Rig.message(text), text, false);
  }

  private boolean post(MemorySegment message, @Nullable Object context, boolean inject) {
    waits.set(false);
    transmitter.lock();
    try {
      Operation operation = transmitter.take(CounterFlag.SEND, false, peer);
      if (operation == null) {
        throw TryAgainException.transmitQueueFull();
      }
      operation.memory.set(message);
      operation.context = context;
      operation.inject = inject;
      operation.silent = inject;
      transmitter.post(operation);
    } finally {
      transmitter.unlock();
    }
    return waits.get();
  }

  private void receive(MemorySegment buffer, @Nullable Object context) {
    receiver.lock();
    try {
      Operation operation = receiver.take(false, Handles.UNSPECIFIED, false, 0, context);
      operation.memory.set(buffer);
      operation.context = context;
      assertThat(receiver.post(operation)).isTrue();
    } finally {
      receiver.unlock();
    }
  }

  private boolean inject(String text) {
    MemorySegment message = Rig.message(text);
    boolean waits = post(message, null, true);
    message.fill((byte) '?');
    return waits;
  }

  private List<Completion> completions() {
    List<Completion> taken = new ArrayList<>();
    queue.poll(Rig.collector(taken), 100);
    return taken;
  }

  @Test
  @DisplayName("While the socket is full messages wait; they leave and complete in order")
  void fullSocket() {
    channel.full = true;
    assertThat(send("a")).as("first to wait").isTrue();
    assertThat(inject("b")).isFalse();
    assertThat(send("c")).isFalse();
    assertThat(transmitter.settle()).isTrue();
    transmitter.progress();
    assertThat(channel.sent).isEmpty();
    assertThat(completions()).isEmpty();

    channel.full = false;
    // Behind those that wait, although there is room now.
    assertThat(send("d")).isFalse();
    assertThat(channel.sent).isEmpty();
    transmitter.progress();
    assertThat(channel.sent).containsExactly("a", "b", "c", "d");
    assertThat(completions()).extracting(Completion::context).containsExactly("a", "c", "d");
    assertThat(transmitter.settle()).isFalse();
    send("e");
    assertThat(channel.sent).endsWith("e");
  }

  @Test
  @DisplayName("Only so many messages wait; the ring goes round")
  void fullQueue() {
    for (int round = 0; round < 5; round++) {
      channel.full = true;
      for (int i = 0; i < SIZE; i++) {
        inject(round + "." + i);
      }
      assertThatThrownBy(() -> send("one more")).isInstanceOf(TryAgainException.class);
      channel.full = false;
      transmitter.progress();
      assertThat(channel.sent).hasSize(SIZE * (round + 1)).endsWith(round + "." + (SIZE - 1));
      send("odd");
      channel.sent.removeLast();
    }
  }

  @Test
  @DisplayName("A message that the network refuses fails alone, injected or not, waiting or not")
  void refused() {
    channel.failure = new NoRouteToHostException("No route to host");
    send("lost at once");
    channel.failure = new SocketException("Network is unreachable");
    inject("injected");
    channel.full = true;
    send("waits");
    send("waits too");
    channel.failure = new SocketException("Operation not permitted");
    channel.full = false;
    transmitter.progress();

    List<Completion> taken = completions();
    assertThat(taken)
        .extracting(Completion::context)
        .containsExactly("lost at once", null, "waits", "waits too");
    assertThat(taken.stream().map(each -> each instanceof Completion.Failure f ? f.errno() : null))
        .containsExactly(Errno.EHOSTUNREACH, Errno.EHOSTUNREACH, Errno.EACCES, null);
    assertThat(taken.getFirst())
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure ->
                assertThat(failure.reason())
                    .contains("to fi_sockaddr_in://127.0.0.1:5000 was", "No route to host"));
    assertThat(channel.sent).containsExactly("waits too");
  }

  @Test
  @DisplayName("Closing drops what waits; posting after it is refused")
  void closed() {
    channel.full = true;
    send("dropped");
    transmitter.close();
    channel.full = false;
    transmitter.progress();
    assertThat(channel.sent).isEmpty();
    assertThatThrownBy(() -> send("late"))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("closed");
    receiver.close();
    assertThatThrownBy(() -> receive(Rig.buffer(8), null))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("closed");
  }

  @Test
  @DisplayName("An error that a socket reports to a receive takes no buffer and ends nothing")
  void receiveError() {
    receive(Rig.buffer(8), "first");
    receive(Rig.buffer(8), "second");
    channel.arriving.add(new PortUnreachableException());
    channel.arriving.add("one");
    channel.arriving.add(new IOException("Host is down"));
    channel.arriving.add("two");
    for (int i = 0; i < 4; i++) {
      receiver.progress();
    }
    List<Completion> taken = completions();
    assertThat(taken).extracting(Completion::context).containsExactly("first", "second");
    assertThat(taken).allSatisfy(each -> assertThat(Rig.success(each).source()).isEqualTo(peer));
  }

  static Stream<Arguments> errors() {
    return Stream.of(
        Arguments.of(new BindException("Address already in use"), Errno.EADDRINUSE),
        Arguments.of(new BindException("Cannot assign requested address"), Errno.EADDRNOTAVAIL),
        Arguments.of(new SocketException("Permission denied"), Errno.EACCES),
        Arguments.of(new IOException("Message too long"), Errno.EMSGSIZE),
        Arguments.of(new SocketException("Network is unreachable (sendto)"), Errno.EHOSTUNREACH),
        Arguments.of(new NoRouteToHostException(), Errno.EHOSTUNREACH),
        Arguments.of(new PortUnreachableException(), Errno.ECONNREFUSED),
        Arguments.of(new SocketException("Invalid argument"), Errno.EINVAL),
        Arguments.of(new IOException("No buffer space available"), Errno.ENOMEM),
        Arguments.of(new IOException("Das Netz ist nicht erreichbar"), Errno.EIO),
        Arguments.of(new IOException(), Errno.EIO),
        Arguments.of(new IllegalStateException("Already closed"), Errno.EINVAL),
        Arguments.of(new FabricException(Errno.ENOSYS, "x"), Errno.ENOSYS));
  }

  @ParameterizedTest
  @MethodSource("errors")
  @DisplayName("Exceptions of the JDK's have the errno that their words name")
  void errnoOf(Exception failed, Errno errno) {
    assertThat(NetworkErrors.of(failed)).isEqualTo(errno);
  }
}
