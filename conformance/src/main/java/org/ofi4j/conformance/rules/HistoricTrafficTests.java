// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** Defects that were reported against libfabric over the years, with traffic. */
@ConformanceTest
class HistoricTrafficTests {
  private static final Setup SETUP =
      Setup.of(ApiVersion.V2_1).caps(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID);

  /** Those of reliable endpoints notice too late that a connection ends nowhere. */
  private static final Setup DATAGRAMS = SETUP.endpointType(EndpointType.DGRAM);

  private static Peer peer(ConformanceEnvironment environment) {
    return peer(SETUP, environment);
  }

  private static Peer peer(Setup setup, ConformanceEnvironment environment) {
    return environment.peer(environment.vector(setup));
  }

  @Proves(partly = "AV-180")
  @Test
  void insertSendRemoveAgainAndAgain(ConformanceEnvironment environment) {
    Peer here = peer(environment);
    Peer there = peer(environment);
    for (int round = 0; round < 100; round++) {
      long handle = here.insert(there);
      assertThat(handle).isZero();
      here.exchange(handle, there);
      here.vector().remove(handle);
    }
  }

  @Proves(partly = {"AV-180", "AV-027"})
  @Test
  void onePeerThenTwo(ConformanceEnvironment environment) {
    Peer server = peer(environment);
    Peer client = peer(environment);
    long alone = client.insert(server);
    client.exchange(alone, server);
    client.vector().remove(alone);

    long[] both = client.vector().insert(List.of(server.name(), client.name())).handles();

    assertThat(both).containsExactly(0, 1);
    client.exchange(both[0], server);
    assertThat(Peer.source(client.exchange(both[1], client))).isEqualTo(both[1]);
  }

  @Proves(partly = {"AV-129", "AV-132"})
  @Test
  void aLatePacketOfARemovedPeerDoesNoHarm(ConformanceEnvironment environment) {
    Peer server = peer(environment);
    Peer client = peer(environment);
    long toServer = client.insert(server);
    long toClient = server.insert(client);
    Object late = "late";
    client.send("sent while the server still knows the client", toServer);

    server.vector().remove(toClient);
    server.receive(late);

    Completion arrived = server.completionOf(late);
    assertThat(Peer.source(arrived)).isIn(toClient, Handles.NOT_AVAILABLE);
    assertThat(Peer.source(client.exchange(toServer, server))).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves(partly = {"AV-180", "AV-178"})
  @Test
  void aPeerRestartsOnItsPort(ConformanceEnvironment environment) {
    Peer server = peer(DATAGRAMS, environment);
    Peer client = peer(DATAGRAMS, environment);
    long toServer = client.insert(server);
    FabricAddress address = client.name();
    long handle = server.insert(client);
    AddressVector clients = client.vector();
    Peer running = client;
    for (int round = 0; round < 50; round++) {
      server.exchange(handle, running);
      assertThat(Peer.source(running.exchange(toServer, server))).isEqualTo(handle);
      running.endpoint().close();
      running = environment.peer(clients, address);
      if (round % 2 == 1) { // whoever notices may remove and insert, who does not may go on
        server.vector().remove(handle);
        assertThat(server.insert(running)).isEqualTo(handle);
      }
    }
  }

  @Proves(partly = {"AV-003", "AV-149"})
  @Test
  void insertedBeforeThePeerExists(ConformanceEnvironment environment) {
    Peer early = peer(environment);
    Peer first = peer(environment);
    FabricAddress address = first.name();
    AddressVector later = first.vector();
    first.endpoint().close();

    long handle = early.vector().insert(address);
    assertThat(early.vector().lookup(handle)).isEqualTo(address);
    Peer there = environment.peer(later, address);

    early.exchange(handle, there);
  }

  @Proves(partly = {"AV-187", "AV-191"})
  @Test
  void idsOfPeersInsertedInMixedOrder(ConformanceEnvironment environment) {
    Peer server = peer(environment);
    List<Peer> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      clients.add(environment.neighbour(server));
    }
    for (int i : new int[] {3, 0, 5, 1, 4, 2}) {
      server.insert(clients.get(i), i);
    }
    for (int i = 0; i < 6; i++) {
      Peer client = clients.get(i);
      assertThat(Peer.source(client.exchange(client.insert(server), server))).isEqualTo(i);
    }
  }

  @Proves(partly = {"AV-035", "AV-215"})
  @Test
  void morePeersThanFitAByte(ConformanceEnvironment environment) {
    Peer server = peer(environment);
    Expect.room(server.vector().insertSymmetric("10.1.0.0", 300, "5000", 1));
    Peer client = peer(environment);
    long handle = server.insert(client);

    assertThat(handle).isEqualTo(300);
    server.exchange(handle, client);
    assertThat(Peer.source(client.exchange(client.insert(server), server))).isEqualTo(300);
  }
}
