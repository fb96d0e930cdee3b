// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Messenger;

/** The short way to a first message. */
class MessengerTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Messenger open(String protocol) {
    return protocol.equals("udp") ? Fabrics.udp("127.0.0.1:0") : Fabrics.tcp("127.0.0.1:0");
  }

  private static Messenger.Message next(Messenger messenger) throws InterruptedException {
    return Objects.requireNonNull(messenger.receive(SOON), "no message");
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
  @DisplayName("An address without a port is refused, with one that would do")
  void addresses() {
    assertThatThrownBy(() -> Fabrics.udp("localhost")).hasMessageContaining("127.0.0.1:0");
    try (Messenger any = Fabrics.udp("localhost:0")) {
      assertThat(any.address().toString()).contains("127.0.0.1");
    }
  }
}
