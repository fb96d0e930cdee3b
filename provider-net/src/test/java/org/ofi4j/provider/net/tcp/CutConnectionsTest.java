// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.CompletionLevel;
import org.ofi4j.Errno;
import org.ofi4j.Progress;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Rig;

/**
 * Connections that break at any byte, and many at a time. How many messages go over those that
 * break is the system property {@code ofi4j.cuts.messages}.
 */
class CutConnectionsTest {
  private static final int MESSAGES = Integer.getInteger("ofi4j.cuts.messages", 500);
  private static final int LONGEST = 60_000;
  private static final int WINDOW = 32;
  private static final int LARGEST = 3_000;

  @Test
  @DisplayName("What was acknowledged has arrived; nothing arrives twice, changed or overtaken")
  void cutAtAnyByte() throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("cuts: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    try (Rig sender = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        Rig receiver = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO));
        CuttingRelay relay = new CuttingRelay(receiver.name(), new Random(seed + 1), LONGEST);
        Arena arena = Arena.ofShared()) {
      long handle = sender.vector.insert(relay.name());
      long source = receiver.insert(sender);
      Set<Long> acknowledged = new HashSet<>();
      List<Long> arrived = new ArrayList<>();
      List<MemorySegment> buffers = new ArrayList<>();
      for (int i = 0; i < WINDOW; i++) {
        buffers.add(arena.allocate(LARGEST));
        receiver.endpoint().receive(buffers.get(i), i);
      }
      int posted = 0;
      int ended = 0;
      while (ended < MESSAGES) {
        while (posted < MESSAGES && posted - ended < WINDOW) {
          int length = Long.BYTES + random.nextInt(LARGEST - Long.BYTES);
          sender
              .endpoint()
              .send(
                  new SendRequest()
                      .memory(NumberedMessage.write(arena.allocate(length), posted))
                      .destination(handle)
                      .context((long) posted)
                      .completes(CompletionLevel.DELIVERED));
          posted++;
        }
        relay.patient = ended >= MESSAGES - 1;
        Completion next = sender.next();
        if (next instanceof Completion.Failure failure) {
          assertThat(failure.errno()).isEqualTo(Errno.ECONNRESET);
        } else {
          acknowledged.add((Long) next.context());
        }
        ended++;
        take(receiver, buffers, arrived, source, Duration.ZERO);
      }
      // The last one marks the end: all others were sent before it.
      relay.patient = true;
      boolean last = false;
      for (int i = 0; i < 100 && !last; i++) {
        sender
            .endpoint()
            .send(
                new SendRequest()
                    .memory(NumberedMessage.write(arena.allocate(8), MESSAGES + i))
                    .destination(handle)
                    .context("last")
                    .completes(CompletionLevel.DELIVERED));
        last = sender.next() instanceof Completion.Success;
      }
      assertThat(last).isTrue();
      while (arrived.isEmpty() || arrived.getLast() < MESSAGES) {
        take(receiver, buffers, arrived, source, Rig.PATIENCE);
      }
      arrived.removeIf(number -> number >= MESSAGES);
      assertThat(arrived).doesNotHaveDuplicates().isSorted().containsAll(acknowledged);
      System.out.printf(
          "%,d cuts; of %,d messages %,d were acknowledged, and %,d have arrived%n",
          relay.cuts.get(), MESSAGES, acknowledged.size(), arrived.size());
      assertThat(relay.cuts.get()).isPositive();
      assertThat(acknowledged).isNotEmpty();
    }
  }

  private static void take(
      Rig receiver, List<MemorySegment> buffers, List<Long> arrived, long source, Duration patience)
      throws InterruptedException {
    Completion received = receiver.next(patience);
    while (received != null) {
      assertThat(Rig.success(received).source()).isEqualTo(source);
      int place = (Integer) received.context();
      long number = NumberedMessage.read(buffers.get(place), Rig.success(received).length());
      assertThat(number).isNotEqualTo(NumberedMessage.BROKEN);
      arrived.add(number);
      receiver.endpoint().receive(buffers.get(place), place);
      received = receiver.next(Duration.ZERO);
    }
  }

  @Test
  @Tag("AV-185")
  @DisplayName("Hundreds of peers connect at once; each is known by its handle")
  void manyAtOnce() throws Exception {
    int peers = 300;
    try (Rig server = Rig.reliable(Rig.tcp("127.0.0.1", Progress.MANUAL))) {
      List<RawPeer> raw = new ArrayList<>();
      List<Socket> sockets = new ArrayList<>();
      try {
        List<Long> handles = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
          RawPeer peer = new RawPeer();
          raw.add(peer);
          handles.add(server.vector.insert(peer.name()));
          Socket socket = RawPeer.connect(server.name());
          sockets.add(socket);
          socket.getOutputStream().write(peer.request(7));
          for (int j = 0; j < 3; j++) {
            socket.getOutputStream().write(peer.frame("from " + i, 4));
          }
        }
        int[] counts = new int[peers];
        MemorySegment buffer = Rig.buffer(16);
        for (int i = 0; i < 3 * peers; i++) {
          server.endpoint().receive(buffer, i);
          Completion.Success received = Rig.success(server.next());
          int from = handles.indexOf(received.source());
          assertThat(Rig.text(buffer, received.length())).isEqualTo("from " + from);
          counts[from]++;
        }
        assertThat(counts).containsOnly(3);
        for (Socket socket : sockets) {
          assertThat(RawPeer.answer(socket)).isEqualTo(1);
          // All three are acknowledged.
          RawPeer.read(socket, 48);
        }
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
        for (RawPeer peer : raw) {
          peer.close();
        }
      }
    }
  }
}
