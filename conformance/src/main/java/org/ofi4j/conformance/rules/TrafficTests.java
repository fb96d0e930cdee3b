// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** REM and NOTE where they are about traffic: what a removed peer can and cannot do. */
@ConformanceTest
class TrafficTests {
  private static Setup setup(ApiVersion version) {
    return Setup.of(version)
        .caps(Capability.MSG, Capability.SOURCE)
        .endpointType(EndpointType.DGRAM);
  }

  static Stream<Setup> setups() {
    return TrafficSetups.of(
        setup(ApiVersion.V2_1),
        setup(ApiVersion.V1_0),
        setup(ApiVersion.V1_15),
        setup(ApiVersion.V1_20));
  }

  private record Pair(Peer server, Peer client, long clientHandle, long serverHandle) {
    static Pair open(Setup setup, ConformanceEnvironment environment) {
      AddressVector vector = environment.vector(setup);
      Peer server = environment.peer(vector);
      Peer client = environment.peer(vector.domain());
      return new Pair(server, client, server.insert(client), client.insert(server));
    }

    Completion.Success toServer() {
      return (Completion.Success) client.exchange(serverHandle, server);
    }

    Completion.Success toClient(long handle) {
      return (Completion.Success) server.exchange(handle, client);
    }
  }

  @Proves(partly = {"AV-126", "AV-003"})
  @EachSetup
  void nothingGoesToARemovedHandle(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, environment);
    pair.toClient(pair.clientHandle());

    pair.server().vector().remove(pair.clientHandle());

    var endpoint = pair.server().endpoint();
    var message = Peer.message("lost");
    for (long bad :
        new long[] {
          pair.clientHandle(), 77, Handles.NOT_AVAILABLE, Long.MIN_VALUE, 1L << 31, 1L << 40
        }) {
      Expect.invalid(() -> endpoint.send(message, bad, "context"));
      Expect.invalid(() -> endpoint.inject(message, bad));
    }
    assertThat(pair.server().poll()).as("no completion of what was refused").isNull();
    pair.toServer(); // and the endpoint is none the worse for it
  }

  @Proves(partly = "AV-129")
  @EachSetup
  void acceptedSendsFinish(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, environment);
    for (int round = 0; round < 50; round++) {
      long handle = round == 0 ? pair.clientHandle() : pair.server().insert(pair.client());
      String text = "round " + round;
      var buffer = pair.client().receive(text);
      pair.server().endpoint().send(Peer.message(text), handle, text);
      pair.server().vector().remove(handle);

      assertThat(pair.server().nextSuccess().context()).isEqualTo(text);
      assertThat(Peer.text(buffer, pair.client().nextSuccess().length())).isEqualTo(text);
    }
  }

  @Proves(partly = {"AV-132", "AV-215", "AV-218"})
  @EachSetup
  void aRemovedPeerIsAStranger(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, environment);
    AddressVector vector = pair.server().vector();
    assertThat(pair.toServer().source()).isEqualTo(pair.clientHandle());

    vector.remove(pair.clientHandle());

    assertThat(pair.toServer().source()).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.size()).as("nobody is inserted by himself").isZero();
    long again = pair.server().insert(pair.client());
    assertThat(pair.toServer().source()).isEqualTo(again);
    pair.toClient(again);
  }

  @Proves(partly = {"AV-132", "AV-216"})
  @EachSetup
  void aStrangerCanBeInsertedFromTheErrorEntry(Setup setup, ConformanceEnvironment environment) {
    if (!setup.isAtLeast(ApiVersion.V1_5)) {
      return; // the capability came with 1.5
    }
    Pair pair = Pair.open(setup.more(Capability.SOURCE_ERR), environment);
    AddressVector vector = pair.server().vector();
    vector.remove(pair.clientHandle());

    Completion.Failure unknown =
        (Completion.Failure) pair.client().exchange(pair.serverHandle(), pair.server());

    assertThat(unknown.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(unknown.source()).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(unknown.length()).isPositive();
    assertThat(vector.size()).isZero();
    long handle = vector.insert(unknown.senderAddress(vector.format()));
    assertThat(pair.toServer().source()).isEqualTo(handle);
  }

  @Proves(partly = "AV-180")
  @EachSetup
  void trafficWorksAfterEveryReturn(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, environment);
    AddressVector vector = pair.server().vector();
    long handle = pair.clientHandle();
    for (int round = 0; round < 100; round++) {
      vector.remove(handle);
      handle = pair.server().insert(pair.client());
      pair.toClient(handle);
      assertThat(pair.toServer().source()).isEqualTo(handle);
    }
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves(partly = {"AV-129", "AV-132"})
  @Test
  void anotherPeerMayTakeTheIndexMeanwhile(ConformanceEnvironment environment) {
    Setup either = setup(ApiVersion.V2_1).endpointType(EndpointType.UNSPECIFIED);
    Pair pair = Pair.open(either, environment);
    AddressVector vector = pair.server().vector();
    Peer third = environment.peer(vector.domain());
    long toServer = third.insert(pair.server());
    vector.remove(pair.clientHandle());
    assertThat(vector.insert(third.name())).isEqualTo(pair.clientHandle());

    assertThat(pair.toServer().source()).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(((Completion.Success) third.exchange(toServer, pair.server())).source())
        .isEqualTo(pair.clientHandle());
    pair.server().exchange(pair.clientHandle(), third);
    assertThat(List.of(vector.lookup(pair.clientHandle()))).containsExactly(third.name());
  }
}
