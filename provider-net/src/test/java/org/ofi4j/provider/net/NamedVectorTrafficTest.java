// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;

/** Endpoints whose vector another process changes, and is killed while it does. */
class NamedVectorTrafficTest {
  private static final int ROUNDS = 4;
  private static final int MOST_ROUNDS = 60;
  private static final int MESSAGES = 50;

  private static Hints hints(String provider) {
    return Hints.latest()
        .withProvider(provider)
        .withSource("127.0.0.1:0")
        .withProgress(Progress.AUTO)
        .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SHARED_AV);
  }

  /** Inserts many scattered addresses and removes them, again and again. */
  static final class Changer {
    private Changer() {}

    public static void main(String[] arguments) {
      try (Fabric fabric = Fabrics.open(hints(arguments[0]));
          Domain domain = fabric.openDomain();
          AddressVector vector =
              domain.openAddressVector(VectorOptions.table().withName(arguments[1]))) {
        SplittableRandom random = new SplittableRandom(Long.parseLong(arguments[2]));
        List<FabricAddress> peers = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
          peers.add(new SocketAddress4(0x0A00_0000 | random.nextInt(1 << 24), 1 + i));
        }
        vector.insert(FabricAddress.parse("fi_sockaddr_in://10.1.1.1:9"));
        for (int round = 0; ; round++) {
          long[] handles = vector.insert(peers, InsertOptions.none()).handles();
          vector.remove(MemorySegment.ofArray(handles), handles.length, 0);
          if (round == 0) {
            // From now on nearly all of its time is spent in changes.
            System.out.println("ready");
          }
        }
      }
    }
  }

  /** One of two, each with an opening of its own. */
  private static final class Side implements AutoCloseable {
    private final Fabric fabric;
    private final Domain domain;
    private final AddressVector vector;
    private final CompletionQueue queue;
    private final MessageEndpoint endpoint;

    Side(String provider, String name) {
      fabric = Fabrics.open(hints(provider));
      domain = fabric.openDomain();
      vector = domain.openAddressVector(VectorOptions.table().withName(name));
      queue = domain.openCompletionQueue();
      endpoint = domain.openEndpoint(EndpointOptions.of(vector, queue));
    }

    Completion next() throws InterruptedException {
      List<Completion> taken = new ArrayList<>();
      for (int i = 0; i < 20 && taken.isEmpty(); i++) {
        queue.poll(Rig.collector(taken), 1, Rig.PATIENCE);
      }
      return taken.getFirst();
    }

    @Override
    public void close() {
      endpoint.close();
      queue.close();
      vector.close();
      domain.close();
      fabric.close();
    }
  }

  private static void exchange(Side from, Side to, long target, long source)
      throws InterruptedException {
    MemorySegment buffer = Rig.buffer(64);
    for (int i = 0; i < MESSAGES; i++) {
      String text = "message " + i;
      to.endpoint.receive(buffer, "receive");
      from.endpoint.inject(Rig.message(text), target);
      Completion.Success received = Rig.success(to.next());
      assertThat(received.source()).isEqualTo(source);
      assertThat(Rig.text(buffer, received.length())).isEqualTo(text);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "tcp"})
  @Tag("AV-039")
  @Tag("AV-185")
  @DisplayName(
      "Messages find their peers and sources while another process changes the vector and dies")
  void trafficGoesOn(String provider) throws Exception {
    String name = "traffic " + UUID.randomUUID();
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("addresses of another process: -Dofi4j.seed=" + seed);
    try (Side one = new Side(provider, name);
        Side two = new Side(provider, name)) {
      assertThat(one.vector.insert(one.endpoint.address())).isZero();
      assertThat(two.vector.insert(two.endpoint.address())).isEqualTo(1);
      // Some of the deaths have to be amid a change.
      for (int round = 0;
          round < ROUNDS || (round < MOST_ROUNDS && repairs(one, name) == 0);
          round++) {
        try (EndpointProcess changer =
            new EndpointProcess(Changer.class, provider, name, Long.toString(seed + round))) {
          assertThat(changer.line()).isEqualTo("ready");
          exchange(one, two, 1, 0);
          changer.kill();
        }
        // Nobody repairs before somebody writes.
        exchange(two, one, 0, 1);
        FabricAddress next = FabricAddress.parse("fi_sockaddr_in://10.2.2.2:" + (100 + round));
        long index = one.vector.insert(next);
        assertThat(two.vector.find(next)).isEqualTo(index);
        exchange(two, one, 0, 1);
      }
      assertThat(repairs(one, name)).as("deaths amid a change").isPositive();
    }
  }

  /** How often its entries were copied, plus 1. */
  private static long repairs(Side side, String name) {
    return side.domain.sharedVectors().status(name).repairs();
  }
}
