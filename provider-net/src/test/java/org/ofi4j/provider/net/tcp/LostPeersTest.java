// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Completion;
import org.ofi4j.Progress;

/** Who lives says so, and who gives no sign of life is lost. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LostPeersTest {
  private static final int HEARTBEAT = 9;

  @Test
  @DisplayName("An endpoint that makes no progress says that it lives, to who has asked for it")
  void heartbeatsWithoutProgress() throws Exception {
    try (TcpRig rig = new TcpRig(TcpRig.hints("127.0.0.1", Progress.MANUAL));
        RawPeer peer = new RawPeer()) {
      // Delivery words and heartbeats, no groups, one receive context, one each 300 ms.
      peer.extension = HexFormat.of().parseHex("4f46493401000016000000090000000000010000012c");
      try (Socket socket = RawPeer.connect(rig.name())) {
        socket.getOutputStream().write(peer.request(7));
        rig.endpoint.receive(TcpRig.buffer(100), "received");
        socket.getOutputStream().write(peer.frame("hello"));
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
        // From here on nobody reads the queue.
        assertThat(RawPeer.read(socket, 62)[1]).as("a response with a block").isEqualTo((byte) 1);
        for (int i = 0; i < 3; i++) {
          byte[] frame = RawPeer.read(socket, 16);
          assertThat(frame[1]).isEqualTo((byte) HEARTBEAT);
          assertThat(frame[7]).as("sequence").isEqualTo((byte) i);
          assertThat(frame[8]).as("size").isEqualTo((byte) 16);
        }
      }
    }
  }

  @Test
  @DisplayName("A heartbeat that was not agreed on costs the connection")
  void strayHeartbeat() throws Exception {
    try (TcpRig rig = new TcpRig(TcpRig.hints("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer();
        Socket socket = peer.join(rig.name(), 7)) {
      byte[] heartbeat = peer.frame("");
      heartbeat[1] = HEARTBEAT;
      socket.getOutputStream().write(heartbeat);
      assertThat(RawPeer.isClosed(socket)).isTrue();
    }
  }
}
