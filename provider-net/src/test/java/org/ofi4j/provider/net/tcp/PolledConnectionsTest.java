// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.wire.TcpLimits;

/** One connection is busy, and the queue is read seldom. Counts reads, as they are what counted. */
class PolledConnectionsTest {
  /** Fewer than the 64 reads after which idle connections were looked at once. */
  private static final int FEW = 48;

  private final List<Completion> read = new ArrayList<>();

  /** Makes a connection busy: it is read without asking the selector. */
  private void warm(Rig server, Rig busy) throws Exception {
    for (int i = 0; i < 8; i++) {
      server.endpoint().receive(Rig.buffer(8), "busy");
      busy.endpoint().inject(Rig.message("x"), 0);
      assertThat(server.next().context()).isEqualTo("busy");
    }
  }

  /**
   * Reads, each a moment after the one before, until a message is there. Returns how many reads it
   * took; those do not count before which nothing had arrived that could be read.
   */
  private int reads(Rig server) throws Exception {
    read.clear();
    int port = SocketAddresses.of(server.name()).getPort();
    int reads = 0;
    while (read.isEmpty()) {
      Thread.sleep(2);
      reads += TcpTable.unread(port) > 0 ? 1 : 0;
      server.queue.poll(Rig.collector(read), 1);
    }
    return reads;
  }

  private static Rig manual() {
    return Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL));
  }

  private static Rig automatic(Rig server) {
    Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
    rig.insert(server);
    return rig;
  }

  @Test
  @DisplayName("A message of an idle peer is there with one of the next reads, if they are seldom")
  void idlePeer() throws Exception {
    try (Rig server = manual();
        Rig busy = automatic(server);
        Rig idle = automatic(server)) {
      warm(server, idle);
      // More connections than are read without asking, so that the idle one is not among them.
      List<Rig> others = new ArrayList<>();
      for (int i = 0; i < TcpLimits.HOT; i++) {
        others.add(automatic(server));
        warm(server, others.getLast());
      }
      for (int i = 0; i < 4; i++) {
        warm(server, busy);
        for (Rig each : others) {
          warm(server, each);
        }
        server.endpoint().receive(Rig.buffer(8), "idle");
        idle.endpoint().inject(Rig.message("x"), 0);
        assertThat(reads(server)).isLessThanOrEqualTo(FEW);
      }
      others.forEach(Rig::close);
    }
  }

  @Test
  @DisplayName("So is the first message of a new peer")
  void newPeer() throws Exception {
    try (Rig server = manual();
        Rig busy = automatic(server)) {
      warm(server, busy);
      for (int i = 0; i < 4; i++) {
        try (Rig late = automatic(server)) {
          warm(server, busy);
          server.endpoint().receive(Rig.buffer(8), "late");
          late.endpoint().send(Rig.message("x"), 0, "sent");
          assertThat(reads(server)).isLessThanOrEqualTo(FEW);
          assertThat(late.next().context()).isEqualTo("sent");
        }
      }
    }
  }
}
