// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.Measured;

class ReadinessTest {
  @Test
  @DisplayName("Connections that come and go while nobody sleeps leave nothing behind")
  void comingAndGoing() throws Exception {
    try (Selector selector = Selector.open();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      Readiness readiness = new Readiness(null, null);
      Readiness.Watched stays = watched(readiness, channel);
      readiness.watch(stays, SelectionKey.OP_CONNECT);
      readiness.prepare(selector);
      long heap = Measured.heap();
      for (int i = 0; i < 200_000; i++) {
        Readiness.Watched passing = watched(readiness, channel);
        readiness.watch(passing, SelectionKey.OP_READ);
        if (i % 3 == 0) {
          readiness.watch(stays, i % 2 == 0 ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT);
        }
        readiness.forget(passing);
      }
      assertThat(Measured.heap() - heap).as("bytes more than before").isLessThan(1_000_000);
      // Who is still there is not forgotten with them.
      readiness.watch(stays, SelectionKey.OP_CONNECT | SelectionKey.OP_READ);
      readiness.prepare(selector);
      assertThat(channel.keyFor(selector).interestOps())
          .isEqualTo(SelectionKey.OP_CONNECT | SelectionKey.OP_READ);
    }
  }

  private static Readiness.Watched watched(Readiness readiness, SocketChannel channel) {
    return new Readiness.Watched(readiness, channel) {
      @Override
      void act(int ready) {
        throw new AssertionError("nothing is ready");
      }
    };
  }
}
