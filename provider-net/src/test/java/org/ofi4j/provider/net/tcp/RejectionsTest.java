// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.wire.ProtocolException;

/** What the log says of peers that send rubbish. */
class RejectionsTest {
  @Test
  @DisplayName("One line for each connection that is closed because of what came over it")
  void lines() throws Exception {
    try (RejectedLines log = new RejectedLines();
        Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer()) {
      String name = rig.name().toString();
      int first = reject(RawPeer.connect(rig.name()), new byte[40]);
      int second = reject(peer.join(rig.name(), 7), new byte[16]);
      // Who leaves without having said anything wrong is no matter for the log.
      peer.join(rig.name(), 9).close();
      int third =
          reject(
              RawPeer.connect(rig.name()), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
      peer.extension = new byte[] {'O', 'F', 'I', '4', 1};
      Socket cutOff = RawPeer.connect(rig.name());
      cutOff.getOutputStream().write(peer.request(11));
      int fourth = reject(cutOff, new byte[0]);
      peer.extension = HexFormat.of().parseHex("4f464934010000140000000100000000ffff0000");
      int fifth = reject(peer.join(rig.name(), 12), peer.frame("stray", 9, 0));
      assertThat(log.await(5))
          .containsExactly(
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + first
                  + " closed: what came is no connection message; it is number 1",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + second
                  + " closed: what came is no frame; it is number 2",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + third
                  + " closed: what came is no connection message; it is number 3",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + fourth
                  + " closed: an extension block ends before its size; it is number 4",
              "endpoint "
                  + name
                  + ": connection of /127.0.0.1:"
                  + fifth
                  + " closed: a message came for peer group 9, which this endpoint does not have;"
                  + " it is number 5");
    }
  }

  @Test
  @DisplayName("What is thrown for rubbish says what was wrong, and costs no look at the stack")
  void cheap() throws Exception {
    try (ScriptedAccess rig = new ScriptedAccess(Runnable::run)) {
      ScriptedSocket socket = ScriptedSocket.connected();
      rig.come(rig.connection(socket), socket, new byte[16]);
      assertThat(rig.lost())
          .isInstanceOf(ProtocolException.class)
          .hasMessage("what came is no frame");
      assertThat(Objects.requireNonNull(rig.lost()).getStackTrace()).isEmpty();
    }
  }

  /** Sends rubbish until the connection is closed; says from which port. */
  private static int reject(Socket socket, byte[] rubbish) throws IOException {
    try (socket) {
      socket.getOutputStream().write(rubbish);
      assertThat(RawPeer.isClosed(socket)).isTrue();
      return socket.getLocalPort();
    }
  }
}
