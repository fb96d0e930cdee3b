// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.FabricAddress;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Measured;
import org.ofi4j.provider.net.Rig;

/** The heap that connections take over which nothing is under way. */
class IdleConnectionMemoryTest {
  private static final int WARM_UP = 100;
  private static final int CONNECTIONS = 400;

  /** How often it is measured at most: what earlier tests have left may count in one of them. */
  private static final int ROUNDS = 3;

  /** Of which the JDK needs about 650 for a channel and its selection key. */
  private static final long MOST_BYTES = 1_500;

  private final List<Socket> sockets = new ArrayList<>();

  @FunctionalInterface
  private interface Opener {
    Socket open(int number) throws IOException;
  }

  /** Bytes that each of some connections takes, with the socket of its peer. */
  private long bytesForEach(Opener opener, int first) throws IOException {
    long before = Measured.heap();
    for (int i = 0; i < CONNECTIONS; i++) {
      sockets.add(opener.open(first + i));
    }
    return (Measured.heap() - before) / CONNECTIONS;
  }

  /** Opens a connection of a peer of its own. */
  private static Socket join(RawPeer peer, FabricAddress endpoint, int port) throws IOException {
    Socket socket = RawPeer.connect(endpoint);
    socket.getOutputStream().write(peer.message(0, port, 7));
    assertThat(RawPeer.answer(socket)).as("accepted").isEqualTo(1);
    return socket;
  }

  @Test
  void anOpenConnectionTakesLittleHeapWhileItIsIdle() throws Exception {
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        RawPeer peer = new RawPeer();
        ServerSocketChannel backlog = ServerSocketChannel.open()) {
      backlog.bind(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ROUNDS * CONNECTIONS);
      FabricAddress plain = FabricAddress.of((InetSocketAddress) backlog.getLocalAddress());
      for (int i = 1; i <= WARM_UP; i++) {
        sockets.add(join(peer, rig.name(), i));
      }
      long bytes = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS && bytes > MOST_BYTES; round++) {
        long ofPeer = bytesForEach(_ -> RawPeer.connect(plain), 0);
        int first = WARM_UP + round * CONNECTIONS + 1;
        bytes = bytesForEach(port -> join(peer, rig.name(), port), first) - ofPeer;
      }
      assertThat(bytes).as("bytes of a connection").isBetween(1L, MOST_BYTES);
    } finally {
      for (Socket each : sockets) {
        each.close();
      }
    }
  }
}
