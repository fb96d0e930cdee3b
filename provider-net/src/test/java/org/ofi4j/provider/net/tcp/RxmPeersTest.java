// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;

/** C programs that speak the protocol of {@code ofi_rxm}: both sides are told. */
class RxmPeersTest {
  private static final String RXM = "tcp;ofi_rxm";

  /** What {@code ofi_rxm} says when it connects. */
  private static byte[] request(int port) {
    return ByteBuffer.allocate(56)
        .put(new byte[] {3, 0, 0, 24})
        .position(24)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(1)
        .put(new byte[] {1, 1, 4, 3})
        .putShort((short) port)
        .put(new byte[] {0, 0})
        .putInt(16_320)
        .putInt(1_024)
        .putLong(4_711L << 32)
        .array();
  }

  @Test
  @DisplayName("A request of ofi_rxm is refused in its own terms, and none of its packets taken")
  void requestIsRefused() throws Exception {
    try (RejectedLines log = new RejectedLines();
        Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        Socket socket = RawPeer.connect(rig.name())) {
      rig.endpoint().receive(Rig.buffer(100), "receive");
      socket.getOutputStream().write(request(socket.getLocalPort()));
      byte[] answer = RawPeer.read(socket, 34);
      assertThat(answer[1]).as("a refusal").isEqualTo((byte) 6);
      assertThat(answer).as("version and reason of ofi_rxm").endsWith(1, 1);
      assertThat(RawPeer.isClosed(socket)).isTrue();
      assertThat(log.await(1))
          .singleElement()
          .asString()
          .contains(RXM)
          .contains("provider tcp alone");
      assertThat(rig.endpoint().cancel("receive")).isTrue();
    }
  }

  @Test
  @DisplayName(
      "A C program that takes ofi_rxm to an endpoint of ofi4j is refused, and the log says so")
  void refusesRealOne() throws Exception {
    try (RejectedLines log = new RejectedLines();
        Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1", RXM)) {
      long toUs = peer.insert(rig.name());
      rig.endpoint().receive(Rig.buffer(1_000), "receive");
      // It connects again and again, and its call says "try again".
      peer.say("send 1 " + toUs + " 100");
      List<String> lines = log.await(1);
      assertThat(lines.getFirst()).contains(RXM).contains("closed");
      assertThat(rig.endpoint().cancel("receive")).isTrue();
    }
  }

  @Test
  @DisplayName("A send to a C program that listens with ofi_rxm fails with a reason that names it")
  void sendSaysWhy() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO), Duration.ofSeconds(1));
        LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1", RXM)) {
      rig.endpoint().send(Rig.message("hello"), rig.vector.insert(peer.name()), "sent");
      Completion.Failure failed = (Completion.Failure) rig.next();
      assertThat(failed.errno()).isEqualTo(Errno.ECONNREFUSED);
      assertThat(failed.reason()).contains(RXM).contains("provider tcp alone");
    }
  }
}
