// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransportSecurity;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.LoopbackRig;

/** An endpoint that has its idle connections closed, or not, and hears of lost peers. */
final class IdleRig extends LoopbackRig {
  private static final Path TABLE = Path.of("/proc/net/tcp");
  private static final String TIME_WAIT = "06";
  private static final String LISTENING = "0A";

  final ReliableEndpoint endpoint;
  final EventQueue events;
  private final Deque<Completion> arrived = new ArrayDeque<>();

  /**
   * A rig.
   *
   * @param idle after how many milliseconds connections are closed; 0 for never
   * @param security null for connections in the clear
   */
  IdleRig(Progress progress, int idle, @Nullable TransportSecurity security) {
    super(hints(progress), VectorOptions.table(), CompletionQueueOptions.defaults());
    events = fabric.openEventQueue(EventQueueOptions.defaults());
    ConnectionOptions connections = ConnectionOptions.defaults().withConnectTimeout(PATIENCE);
    if (idle > 0) {
      connections = connections.withIdleTimeout(Duration.ofMillis(idle));
    }
    if (security != null) {
      connections = connections.withSecurity(security);
    }
    endpoint =
        domain.openReliableEndpoint(
            EndpointOptions.of(vector, queue).withEvents(events).withConnections(connections));
  }

  private static Hints hints(Progress progress) {
    return TcpRig.hints("127.0.0.1", progress)
        .withMoreCapabilities(Capability.MSG, Capability.TAGGED, Capability.RMA, Capability.SOURCE);
  }

  int port() {
    return ((FabricAddress.SocketAddress4) endpoint.address()).toSocketAddress().getPort();
  }

  /** Moves data, and keeps what completes. */
  void move() throws InterruptedException {
    queue.poll(collector(arrived), 64, Duration.ZERO);
  }

  /** What has completed, if something has. */
  @Nullable Completion poll() {
    return arrived.pollFirst();
  }

  /** The next completion; the other one moves its data meanwhile. */
  Completion.Success next(IdleRig other) throws InterruptedException {
    while (arrived.isEmpty()) {
      other.move();
      queue.poll(collector(arrived), 16, Duration.ofMillis(1));
    }
    Completion next = arrived.removeFirst();
    assertThat(next).isInstanceOf(Completion.Success.class);
    return (Completion.Success) next;
  }

  /** Sockets of connections that somebody listens for on one of these ports. */
  static long open(int... ports) throws IOException {
    return count(false, ports);
  }

  /** Connections of that kind that were closed in good order, within the last minute. */
  static long closed(int... ports) throws IOException {
    return count(true, ports);
  }

  private static long count(boolean closed, int... ports) throws IOException {
    long count = 0;
    for (String line : Files.readAllLines(TABLE)) {
      String[] words = line.strip().split("\\s+");
      boolean over = words[3].equals(TIME_WAIT);
      for (int port : ports) {
        String end = ":%04X".formatted(port);
        if ((words[1].endsWith(end) || words[2].endsWith(end))
            && !words[3].equals(LISTENING)
            && over == closed) {
          count++;
        }
      }
    }
    return count;
  }

  /** Bytes that have come to a port and were not read. */
  static long unread(int port) throws IOException {
    return queued(1, port, 1);
  }

  /**
   * Waits until all is read that was sent to a port. Nothing that is unread may as well not have
   * come yet, so what is sent and not acknowledged is asked for first.
   */
  static void awaitRead(int port) throws Exception {
    while (queued(2, port, 0) > 0 || unread(port) > 0) {
      Thread.sleep(1);
    }
  }

  /** Bytes in the first or second queue of sockets that have a port as their first or second. */
  private static long queued(int end, int port, int queue) throws IOException {
    long bytes = 0;
    for (String line : Files.readAllLines(TABLE)) {
      String[] words = line.strip().split("\\s+");
      if (words[end].endsWith(":%04X".formatted(port)) && !words[3].equals(LISTENING)) {
        bytes += Long.parseLong(words[4].split(":")[queue], 16);
      }
    }
    return bytes;
  }

  /** Returns when there is no connection between two, on either side. */
  static void awaitClosed(IdleRig one, IdleRig other) throws Exception {
    while (open(one.port(), other.port()) > 0) {
      one.move();
      other.move();
      Thread.sleep(1);
    }
  }

  @Override
  protected void closeEndpoints() {
    endpoint.close();
    events.close();
  }
}
