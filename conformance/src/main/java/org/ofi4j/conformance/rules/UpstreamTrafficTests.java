// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/**
 * Functional and multi-node tests of libfabric's that can be had with datagrams. Addresses are
 * handed over directly, as those tests do on a channel beside the fabric.
 */
@ConformanceTest
class UpstreamTrafficTests {
  static List<Setup> setups() {
    Setup newest = setup(ApiVersion.V2_1);
    return List.of(
        setup(ApiVersion.V1_15),
        newest,
        newest.format(AddressFormat.SOCKADDR_IN6),
        newest.endpointType(EndpointType.RDM),
        newest.format(AddressFormat.SOCKADDR_IN6).endpointType(EndpointType.RDM));
  }

  private static Setup setup(ApiVersion version) {
    return Setup.of(version).caps(Capability.MSG, Capability.SOURCE);
  }

  /** A peer with everything of its own, from the fabric up, as another process would have. */
  private static Peer stranger(Setup setup, ConformanceEnvironment environment) {
    return environment.peer(environment.vector(setup, VectorOptions.table().withCount(1)));
  }

  /** libfabric's av_xfer removes and inserts again, and then sends either way. */
  @Proves(partly = {"AV-126", "AV-180"})
  @EachSetup
  void avXfer(Setup setup, ConformanceEnvironment environment) {
    for (boolean backwards : new boolean[] {true, false}) {
      Peer server = stranger(setup, environment);
      Peer client = stranger(setup, environment);
      long toClient = server.insert(client);
      long toServer = client.insert(server);
      client.exchange(toServer, server);

      server.vector().remove(toClient);
      client.vector().remove(toServer);
      toClient = server.insert(client);
      toServer = client.insert(server);

      assertThat(backwards ? server.exchange(toClient, client) : client.exchange(toServer, server))
          .isInstanceOf(Completion.Success.class);
    }
  }

  @Proves(partly = {"AV-003", "AV-070", "AV-215"})
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void multiEp(boolean shared, ConformanceEnvironment environment) {
    int count = 8;
    Domain domain = environment.domain(setup(ApiVersion.V2_1));
    AddressVector common = environment.vector(domain, VectorOptions.table().withCount(count + 1));
    List<Peer> servers = new ArrayList<>();
    List<Peer> clients = new ArrayList<>();
    long[] toClient = new long[count];
    long[] toServer = new long[count];
    for (int i = 0; i < count; i++) {
      servers.add(environment.peer(shared ? common : environment.vector(domain)));
      clients.add(stranger(setup(ApiVersion.V2_1), environment));
      toClient[i] = servers.get(i).insert(clients.get(i)); // while earlier ones are in use
      toServer[i] = clients.get(i).insert(servers.get(i));
      assertThat(toClient[i]).isEqualTo(shared ? i : 0);
      for (int k = 0; k <= i; k++) {
        servers.get(k).exchange(toClient[k], clients.get(k));
        assertThat(Peer.source(clients.get(k).exchange(toServer[k], servers.get(k))))
            .isEqualTo(toClient[k]);
      }
    }
    if (shared) {
      for (int i = 0; i < count; i++) {
        servers.get(i).exchange(toClient[(i + 1) % count], clients.get((i + 1) % count));
      }
    }
  }

  @Proves(partly = {"AV-003", "AV-185"})
  @EachSetup
  void dgramGreeting(Setup setup, ConformanceEnvironment environment) {
    Peer server = stranger(setup, environment);
    Peer client = stranger(setup, environment);
    long toServer = client.insert(server);
    MemorySegment first = server.receive("name");
    client.endpoint().send(MemorySegment.ofArray(client.name().toBytes()), toServer, "name");
    Completion.Success name = server.nextSuccess();
    assertThat(name.source()).as("not yet known").isEqualTo(Handles.NOT_AVAILABLE);

    byte[] bytes = first.asSlice(0, name.length()).toArray(ValueLayout.JAVA_BYTE);
    long toClient = server.vector().insert(FabricAddress.of(server.vector().format(), bytes));
    assertThat(client.nextSuccess().context()).isEqualTo("name");
    server.exchange(toClient, client);
    MemorySegment greeting = server.receive("greeting");
    client.send("Hello from Client!", toServer);

    Completion.Success received = server.expect("Hello from Client!", greeting);
    assertThat(received.source()).isEqualTo(toClient);
    assertThat(received.flags() & CompletionFlag.RECEIVE.mask()).isNotZero();
  }

  @Proves(partly = {"AV-003", "AV-185"})
  @EachSetup
  void loopback(Setup setup, ConformanceEnvironment environment) {
    Peer only = stranger(setup, environment);
    long self = only.insert(only);
    MemorySegment buffer = only.receive("in");
    only.endpoint().send(Peer.message("greeting to myself"), self, "out");

    Completion one = only.next();
    Completion two = only.next();

    assertThat(List.of(String.valueOf(one.context()), String.valueOf(two.context())))
        .containsExactlyInAnyOrder("in", "out");
    Completion.Success in = (Completion.Success) ("in".equals(one.context()) ? one : two);
    assertThat(in.source()).isEqualTo(self);
    assertThat(Peer.text(buffer, in.length())).isEqualTo("greeting to myself");
  }

  @Proves(partly = "AV-185")
  @EachSetup
  void inject(Setup setup, ConformanceEnvironment environment) {
    Peer server = stranger(setup, environment);
    Peer client = stranger(setup, environment);
    long toServer = client.insert(server);
    long toClient = server.insert(client);
    for (int round = 0; round < 20; round++) {
      MemorySegment buffer = server.receive("in");
      MemorySegment message = Peer.message("injected " + round);
      client.endpoint().inject(message, toServer);
      message.fill((byte) 'x'); // may be used again at once

      assertThat(server.expect("injected " + round, buffer).source()).isEqualTo(toClient);
    }
    assertThat(client.poll()).as("injecting has no completion").isNull();
  }

  @Proves(partly = {"AV-027", "AV-180"})
  @Test
  void rdmMultiClient(ConformanceEnvironment environment) {
    Setup setup = setup(ApiVersion.V2_1);
    Peer server = stranger(setup, environment);
    Set<FabricAddress> known = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      Peer client = stranger(setup, environment);
      while (!known.add(client.name())) {
        // The system may give the port of a client that has gone again, which is no new peer then.
        client.endpoint().close();
        client = stranger(setup, environment);
      }
      long toServer = client.insert(server);
      long toClient = server.insert(client);
      assertThat(toClient).as("grows by one for each client").isEqualTo(i);
      for (int round = 0; round < 5; round++) {
        assertThat(Peer.source(client.exchange(toServer, server))).isEqualTo(toClient);
        server.exchange(toClient, client);
      }
      client.endpoint().close();
      client.queue().close();
      client.vector().close();
    }
    assertThat(server.vector().size()).isEqualTo(20);
  }

  @Proves(partly = {"AV-178", "AV-180"})
  @Test
  void rdmMultiClientOnOneAddress(ConformanceEnvironment environment) {
    Setup setup = setup(ApiVersion.V2_1).endpointType(EndpointType.DGRAM);
    Peer server = stranger(setup, environment);
    Peer first = stranger(setup, environment);
    FabricAddress address = first.name();
    long toClient = server.insert(first);
    server.exchange(toClient, first);
    Peer restarted = first;
    for (int i = 0; i < 10; i++) {
      restarted.endpoint().close();
      restarted = environment.peer(environment.vector(first.vector().domain()), address);
      long again = server.vector().insert(address);
      assertThat(again).as("a peer that restarted is the same one").isEqualTo(toClient);
      server.exchange(again, restarted);
      assertThat(Peer.source(restarted.exchange(restarted.insert(server), server)))
          .isEqualTo(toClient);
    }
  }

  /** One of the patterns of libfabric's multi-node test: who sends to whom. */
  private static void pattern(
      ConformanceEnvironment environment, int ranks, boolean[][] sends, int iterations) {
    Setup setup = setup(ApiVersion.V2_1);
    List<Peer> peers = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      peers.add(
          environment.peer(environment.vector(setup, VectorOptions.table().withCount(ranks))));
    }
    for (Peer peer : peers) {
      for (int rank = 0; rank < ranks; rank++) {
        assertThat(peer.insert(peers.get(rank))).as("index is rank").isEqualTo(rank);
      }
    }
    for (int iteration = 0; iteration < iterations; iteration++) {
      for (int to = 0; to < ranks; to++) {
        for (int from = 0; from < ranks; from++) {
          if (sends[from][to]) {
            assertThat(Peer.source(peers.get(from).exchange(to, peers.get(to)))).isEqualTo(from);
          }
        }
      }
    }
  }

  private static boolean[][] pairs(int ranks, IntUnaryOperator targetsOf) {
    boolean[][] sends = new boolean[ranks][ranks];
    for (int from = 0; from < ranks; from++) {
      int targets = targetsOf.applyAsInt(from);
      for (int to = 0; to < ranks; to++) {
        sends[from][to] = (targets & 1 << to) != 0;
      }
    }
    return sends;
  }

  @Proves(partly = {"AV-027", "AV-185"})
  @Test
  void multinodeFullMesh(ConformanceEnvironment environment) {
    pattern(environment, 5, pairs(5, _ -> 0b11111), 3);
  }

  @Proves(partly = {"AV-027", "AV-185"})
  @Test
  void multinodeRing(ConformanceEnvironment environment) {
    pattern(environment, 6, pairs(6, from -> 1 << (from + 1) % 6), 5);
  }

  @Proves(partly = {"AV-027", "AV-185"})
  @Test
  void multinodeGather(ConformanceEnvironment environment) {
    pattern(environment, 6, pairs(6, from -> from == 0 ? 0 : 1), 5);
  }

  @Proves(partly = {"AV-027", "AV-185"})
  @Test
  void multinodeBroadcast(ConformanceEnvironment environment) {
    pattern(environment, 6, pairs(6, from -> from == 0 ? 0b111110 : 0), 5);
  }
}
