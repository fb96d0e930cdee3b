// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EstablishedSocketsTest {
  private static final InetAddress HERE = InetAddress.ofLiteral("127.0.0.1");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "01, 00:00000000, 00000000, true",
    "01, 01:00000014, 00000000, true",
    "01, 01:00000014, 00000003, false",
    "01, 04:00000014, 00000003, true",
    "01, 02:00000014, 00000000, true",
    "08, 00:00000000, 00000000, false",
  })
  void peerThatAcknowledgesNothingDoesNotAnswer(
      String state, String timer, String retransmits, boolean answers) throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(HERE, 0));
      try (SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
        int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
        int remote = ((InetSocketAddress) server.getLocalAddress()).getPort();
        String line =
            "   7: 0100007F:%04X 0100007F:%04X %s 00000010:00000000 %s %s  1000        0 4711 1 0"
                .formatted(port, remote, state, timer, retransmits);
        Path list =
            Files.writeString(
                directory.resolve("tcp"), "  sl  local_address rem_address   st\n" + line + '\n');
        EstablishedSockets sockets = new EstablishedSockets(List.of(list));
        assertThat(sockets.contains(channel)).isEqualTo(answers);
      }
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void ownConnectionAnswers() throws Exception {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(HERE, 0));
      try (SocketChannel channel = SocketChannel.open(server.getLocalAddress())) {
        EstablishedSockets sockets = new EstablishedSockets();
        try (SocketChannel _ = server.accept()) {
          assertThat(sockets.contains(channel)).isTrue();
        }
        sockets.forget();
        assertThat(sockets.contains(channel)).isFalse();
      }
    }
  }
}
