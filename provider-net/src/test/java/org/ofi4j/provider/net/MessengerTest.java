// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Messenger;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.SendRequest;

/** The short way to a first message. */
class MessengerTest {
  private static Messenger open(String protocol) {
    return protocol.equals("udp") ? Fabrics.udp("127.0.0.1:0") : Fabrics.tcp("127.0.0.1:0");
  }

  private static Messenger.Message next(Messenger messenger) throws InterruptedException {
    return Objects.requireNonNull(messenger.receive(Rig.PATIENCE), "no message");
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  @DisplayName("A message, an answer to someone who was not known, and again")
  void hello(String protocol) throws InterruptedException {
    try (Messenger server = open(protocol);
        Messenger client = open(protocol)) {
      long toServer = client.insert(server.address());
      client.send("hello", toServer);
      client.send("and again", toServer);
      Messenger.Message hello = next(server);
      assertThat(hello.text()).isEqualTo("hello");
      assertThat(server.vector().lookup(hello.source())).isEqualTo(client.address());
      assertThat(next(server).source()).as("nobody is inserted twice").isEqualTo(hello.source());

      server.send("welcome", hello.source());
      assertThat(next(client).source()).isEqualTo(toServer);
      for (int i = 0; i < 100; i++) {
        client.send("message " + i, toServer);
        assertThat(next(server).text()).isEqualTo("message " + i);
      }
      assertThat(server.vector().size()).isOne();
    }
  }

  @Test
  @Tag("long")
  @DisplayName("Too many senders: messages of others have no source until a peer is removed")
  void moreSendersThanAreKept() throws Exception {
    int kept = 65_536;
    try (Messenger server = Fabrics.udp("127.0.0.1:0")) {
      for (int i = 0; i < kept; i++) {
        assertThat(server.vector().lookup(sourceOf(i, server))).isEqualTo(sender(i));
      }
      assertThat(sourceOf(kept, server)).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(server.vector().lookup(sourceOf(7, server))).isEqualTo(sender(7));

      server.vector().remove(server.vector().find(sender(3)));
      assertThat(server.vector().lookup(sourceOf(kept, server))).isEqualTo(sender(kept));
    }
  }

  private static SocketAddress4 sender(int number) {
    return new SocketAddress4(0x7F01_0000 + number, 5000);
  }

  /** Sends a message of one sender, and returns the source of the message that arrives. */
  private static long sourceOf(int number, Messenger server) throws Exception {
    try (DatagramChannel sender = DatagramChannel.open()) {
      sender.bind(sender(number).toSocketAddress());
      SocketAddress4 to = (SocketAddress4) server.address();
      sender.send(ByteBuffer.wrap(new byte[] {1}), to.toSocketAddress());
    }
    return next(server).source();
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  @DisplayName("The longest message arrives, an empty one as well; a longer one is refused")
  void lengths(String protocol) throws InterruptedException {
    try (Messenger messenger = open(protocol)) {
      long self = messenger.insert(messenger.address());
      byte[] longest = new byte[Messenger.MAX_MESSAGE];
      longest[longest.length - 1] = 7;
      messenger.send(longest, self);
      assertThat(next(messenger).bytes()).isEqualTo(longest);
      messenger.send("", self);
      assertThat(next(messenger).bytes()).isEmpty();
      assertThatThrownBy(() -> messenger.send(new byte[longest.length + 1], self))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EMSGSIZE));
      assertThat(messenger.receive(Duration.ofMillis(1))).isNull();
    }
  }

  @Test
  @DisplayName("What kept a message from being sent is thrown, and the messenger goes on")
  void nobodyThere() throws InterruptedException {
    try (Messenger messenger = Fabrics.tcp("127.0.0.1:0")) {
      assertThatThrownBy(() -> messenger.send("x", 5))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
      long self = messenger.insert(messenger.address());
      messenger.send("still there", self);
      assertThat(next(messenger).text()).isEqualTo("still there");
    }
  }

  @Test
  @DisplayName("What comes too long is told to who receives, not to who sends")
  void tooLong() throws InterruptedException {
    Hints reliable =
        Hints.reliable().withProvider("tcp").withSource("127.0.0.1:0").withProgress(Progress.AUTO);
    try (Messenger messenger = Fabrics.tcp("127.0.0.1:0");
        Fabric fabric = Fabrics.open(reliable);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector();
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint stranger = domain.openReliableEndpoint(vector, queue)) {
      MemorySegment large = Arena.ofAuto().allocate(Messenger.MAX_MESSAGE + 1);
      stranger.send(
          new SendRequest()
              .memory(large)
              .destination(vector.insert(messenger.address()))
              .completes(CompletionLevel.DELIVERED));
      assertThat(queue.read(Rig.PATIENCE)).isInstanceOf(Completion.Success.class);
      long self = messenger.insert(messenger.address());
      messenger.send("innocent", self);
      assertThatThrownBy(() -> messenger.receive(Rig.PATIENCE)).hasMessageContaining("ETRUNC");
      assertThat(next(messenger).text()).isEqualTo("innocent");
    }
  }

  @Test
  @DisplayName("What waits is there without waiting; a time of any length will do")
  void timeouts() throws InterruptedException {
    try (Messenger messenger = Fabrics.udp("127.0.0.1:0")) {
      messenger.send("x", messenger.insert(messenger.address()));
      Messenger.Message got = null;
      while (got == null) {
        got = messenger.receive(Duration.ZERO);
      }
      messenger.send("y", got.source());
      assertThat(messenger.receive(Duration.ofSeconds(Long.MAX_VALUE))).isNotNull();
    }
  }

  @Test
  @DisplayName("More messages than it has buffers wait, and none is lost")
  void many() throws InterruptedException {
    try (Messenger server = Fabrics.tcp("127.0.0.1:0");
        Messenger client = Fabrics.tcp("127.0.0.1:0")) {
      long toServer = client.insert(server.address());
      long self = server.insert(server.address());
      for (int i = 0; i < 100; i++) {
        client.send("message " + i, toServer);
      }
      server.send("own", self);
      int own = 0;
      for (int i = 0; i < 100; ) {
        String text = next(server).text();
        if (text.equals("own")) {
          own++;
        } else {
          assertThat(text).isEqualTo("message " + i++);
        }
      }
      assertThat(own == 1 ? "own" : next(server).text()).isEqualTo("own");
    }
  }

  @Test
  void severalThreadsSendAndReceive() throws Exception {
    int threads = 8;
    int each = 25;
    try (Messenger server = Fabrics.tcp("127.0.0.1:0");
        Messenger client = Fabrics.tcp("127.0.0.1:0");
        ExecutorService pool = Executors.newCachedThreadPool()) {
      long toServer = client.insert(server.address());
      List<Future<List<String>>> echoes = new ArrayList<>();
      List<Future<List<String>>> answers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        String name = "thread " + i + " message ";
        echoes.add(
            pool.submit(() -> {
              List<String> served = new ArrayList<>();
              for (int n = 0; n < each; n++) {
                Messenger.Message request = next(server);
                server.send(request.text(), request.source());
                served.add(request.text());
              }
              return served;
            }));
        answers.add(
            pool.submit(() -> {
              List<String> received = new ArrayList<>();
              for (int n = 0; n < each; n++) {
                client.send(name + n, toServer);
                received.add(next(client).text());
              }
              return received;
            }));
      }
      try {
        Set<String> expected = new HashSet<>();
        for (int i = 0; i < threads * each; i++) {
          expected.add("thread " + i / each + " message " + i % each);
        }
        assertThat(all(echoes)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(all(answers)).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(server.vector().size()).as("the client is inserted once").isOne();
      } finally {
        pool.shutdownNow();
      }
    }
  }

  private static List<String> all(List<Future<List<String>>> futures) throws Exception {
    List<String> all = new ArrayList<>();
    for (Future<List<String>> future : futures) {
      all.addAll(future.get());
    }
    return all;
  }

  @Test
  void sendToPeerThatNeverReceivesTimesOut() throws InterruptedException {
    try (Messenger busy = Fabrics.tcp("127.0.0.1:0");
        Messenger client = Fabrics.tcp("127.0.0.1:0")) {
      long toBusy = client.insert(busy.address());
      byte[] message = new byte[Messenger.MAX_MESSAGE];
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  client.send(message, toBusy, Duration.ofSeconds(1));
                }
              })
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.ETIMEDOUT))
          .hasMessageContaining("PT1S");
    }
  }

  @Test
  void closeEndsReceivesOfOtherThreads() throws Exception {
    Messenger messenger = Fabrics.tcp("127.0.0.1:0");
    try (ExecutorService pool = Executors.newCachedThreadPool()) {
      List<Future<Messenger.@Nullable Message>> waiting = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(3);
      for (int i = 0; i < 3; i++) {
        waiting.add(
            pool.submit(() -> {
              begun.countDown();
              return messenger.receive(Duration.ofSeconds(-1));
            }));
      }
      begun.await();
      messenger.close();
      for (Future<Messenger.@Nullable Message> future : waiting) {
        assertThatThrownBy(() -> future.get())
            .hasRootCauseInstanceOf(FabricException.class)
            .hasMessageContaining("closed");
      }
      pool.shutdownNow();
    }
  }

  @Test
  @DisplayName("Closing is refused while the application has something open, and works after that")
  void closing() {
    Messenger messenger = Fabrics.tcp("127.0.0.1:0");
    CompletionQueue own = messenger.endpoint().domain().openCompletionQueue();
    assertThatThrownBy(messenger::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(messenger::close).isInstanceOf(FabricBusyException.class);
    Domain domain = own.domain();
    own.close();
    messenger.close();
    assertThat(domain.isOpen()).isFalse();
    messenger.close();
  }

  @Test
  @DisplayName("What the application posts itself is not taken for a message")
  void others() throws InterruptedException {
    try (Messenger messenger = Fabrics.udp("127.0.0.1:0")) {
      long self = messenger.insert(messenger.address());
      MemorySegment memory = Arena.ofShared().allocate(4);
      messenger.endpoint().send(memory, self, memory);
      assertThat(next(messenger).bytes()).hasSize(4);
      assertThat(messenger.receive(Duration.ofMillis(5))).isNull();
      assertThatThrownBy(() -> messenger.send((String) null, self)).hasMessageContaining("EINVAL");
    }
  }

  @Test
  @DisplayName("An address without a port is refused, with one that would do")
  void addresses() {
    assertThatThrownBy(() -> Fabrics.udp("localhost")).hasMessageContaining("127.0.0.1:0");
    try (Messenger any = Fabrics.udp("localhost:0")) {
      assertThat(any.address().toString()).contains("127.0.0.1");
    }
  }
}
