// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Event;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;

/**
 * Which requests wait at a passive endpoint that answers none, if there are more than its backlog.
 */
class BacklogTest {
  private static final int BACKLOG = 64;
  private static final int OF_HOST = 16;

  /** Raw connections from hosts of the loopback network, each with a request. */
  private static final class Callers implements AutoCloseable {
    private final MsgSide server;
    private final PassiveEndpoint passive;
    private final RawPeer peer = new RawPeer();
    private final List<Socket> sockets = new ArrayList<>();

    Callers(MsgSide server, PassiveEndpoint passive) throws IOException {
      this.server = server;
      this.passive = passive;
    }

    /** Requests connections one after the other, of which the application hears. */
    List<Socket> call(String host, int count) throws Exception {
      List<Socket> made = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Socket socket = RawPeer.connect(host, passive.address());
        sockets.add(socket);
        made.add(socket);
        socket.getOutputStream().write(peer.request(7));
        server.event(Event.ConnectionRequest.class);
      }
      return made;
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets) {
        socket.close();
      }
      peer.close();
    }
  }

  private static PassiveEndpoint listen(MsgSide server) {
    return server.listen(PassiveOptions.of(server.events).withBacklog(BACKLOG));
  }

  private static void connect(MsgSide server, PassiveEndpoint passive) throws Exception {
    try (MsgSide client = new MsgSide(Progress.AUTO)) {
      ConnectedEndpoint endpoint = client.endpoint();
      endpoint.connect(passive.address(), new byte[] {1, 2, 3});
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class);
      assertThat(request.connectionData()).containsExactly(1, 2, 3);
      server.endpoint(request.info()).accept();
      server.event(Event.Connected.class);
      client.event(Event.Connected.class);
    }
    server.event(Event.Shutdown.class);
  }

  @Test
  void hostHasQuarterOfBacklogAndItsOldestRequestsGoFirst() throws Exception {
    try (MsgSide server = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = listen(server);
      try (Callers callers = new Callers(server, passive)) {
        List<Socket> all = callers.call("127.0.0.2", 2 * BACKLOG);
        for (Socket refused : all.subList(0, 2 * BACKLOG - OF_HOST)) {
          assertThat(RawPeer.answer(refused)).isEqualTo(6);
        }
        connect(server, passive);
        // The youngest requests still wait for their answer: the next one displaces the first.
        callers.call("127.0.0.2", 1);
        List<Socket> youngest = all.subList(2 * BACKLOG - OF_HOST, 2 * BACKLOG);
        assertThat(RawPeer.answer(youngest.getFirst())).isEqualTo(6);
        assertThat(youngest.getLast().getInputStream().available()).isZero();
      }
    }
  }

  @Test
  void hostWithFewRequestsDisplacesOldestOfHostWithMost() throws Exception {
    try (MsgSide server = new MsgSide(Progress.AUTO)) {
      PassiveEndpoint passive = listen(server);
      try (Callers callers = new Callers(server, passive)) {
        List<Socket> oldest = new ArrayList<>();
        for (int host = 2; host < 2 + BACKLOG / OF_HOST; host++) {
          oldest.add(callers.call("127.0.0." + host, OF_HOST).getFirst());
        }
        connect(server, passive);
        int refused = 0;
        for (Socket each : oldest) {
          refused += each.getInputStream().available() > 0 ? 1 : 0;
        }
        assertThat(refused).isEqualTo(1);
      }
    }
  }
}
