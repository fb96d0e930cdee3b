// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** User ids over reliable endpoints: in completions of all kinds, and nowhere else. */
@ConformanceTest
class ReliableUserIdTests {
  private static final long USER_ID = InsertFlag.USER_ID.mask();
  private static final VectorOptions FOR_IDS = VectorOptions.table().withFlags(VectorFlag.USER_ID);
  private static final boolean[] BOTH = {false, true};

  static Stream<Setup> setups() {
    return TrafficSetups.reliable(setup(ApiVersion.V2_1), setup(ApiVersion.V1_20));
  }

  private static Setup setup(ApiVersion version) {
    return Setup.of(version)
        .caps(
            Capability.MSG,
            Capability.TAGGED,
            Capability.SOURCE,
            Capability.DIRECTED_RECEIVE,
            Capability.AV_USER_ID)
        .endpointType(EndpointType.RDM);
  }

  private static void receiveTooShort(Peer at, long source, boolean tagged) {
    MemorySegment buffer = Arena.ofAuto().allocate(4);
    if (tagged) {
      at.reliable()
          .receiveTagged(
              new TaggedReceiveRequest()
                  .memory(buffer)
                  .source(source)
                  .pattern(TagPattern.exactly(Peer.TAG))
                  .context("too short"));
    } else {
      at.endpoint()
          .receive(new ReceiveRequest().memory(buffer).source(source).context("too short"));
    }
  }

  /** Good and failed completions report that, of receives that wait and of early messages. */
  private static void assertReported(
      Peer client, long toServer, Peer server, long handle, long reported) {
    for (boolean tagged : BOTH) {
      for (long wanted : new long[] {Handles.UNSPECIFIED, handle}) {
        server.receive(wanted, tagged, "good");
        client.send("a message", toServer, tagged);
        assertThat(server.nextSuccess().source()).isEqualTo(reported);
        receiveTooShort(server, wanted, tagged);
        client.send("a message", toServer, tagged);
        Completion.Failure failure = server.nextFailure();
        assertThat(failure.errno()).isEqualTo(Errno.ETRUNC);
        assertThat(failure.source()).isEqualTo(reported);
      }
      client.send("early", toServer, tagged);
      server.receive(handle, tagged, "late");
      assertThat(server.nextSuccess().source()).isEqualTo(reported);
    }
  }

  @Proves({"AV-103", "AV-187", "AV-189", "AV-191", "AV-192"})
  @EachSetup
  void idsGivenAtInsertStandInAllCompletionsOnly(Setup setup, ConformanceEnvironment environment) {
    for (InsertForm form : List.of(InsertForm.PACKED, InsertForm.COLLECTION)) {
      AddressVector vector = environment.vector(setup);
      Peer server = environment.peer(vector);
      Peer one = environment.neighbour(server);
      Peer two = environment.neighbour(server);
      Inserted inserted =
          form.insert(
              vector, List.of(one.name(), two.name()), USER_ID, new long[] {0x10, 0x20}, null);

      assertThat(inserted.fi(0)).as("the handle, as without an id").isZero();
      assertThat(inserted.fi(1)).isEqualTo(1);
      assertReported(one, one.insert(server), server, 0, 0x10);
      assertReported(two, two.insert(server), server, 1, 0x20);
      Expect.invalid(() -> server.endpoint().send(Peer.message("x"), 0x10, "to an id"));
      for (boolean tagged : BOTH) {
        Expect.invalid(() -> server.receive(0x10, tagged, "from an id"));
      }
      assertThat(server.exchange(0, one)).isInstanceOf(Completion.Success.class);
      assertThat(server.exchange(1, two)).isInstanceOf(Completion.Success.class);
    }
  }

  @Proves({"AV-096", "AV-176", "AV-193"})
  @EachSetup
  void idsAreSetByCallInVectorsOpenedForThem(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, FOR_IDS);
    Peer server = environment.peer(vector);
    Peer client = environment.neighbour(server);
    long toServer = client.insert(server);
    Expect.invalid(
        () -> vector.insert(List.of(client.name()), InsertOptions.none().withUserIds(7)));
    assertThat(vector.size()).isZero();
    long handle = server.insert(client);

    assertReported(client, toServer, server, handle, Handles.NOT_AVAILABLE);
    vector.setUserId(handle, new UserId(0xdead));
    assertReported(client, toServer, server, handle, 0xdead);
    client.send("came before the id changed", toServer, true);
    vector.setUserId(handle, new UserId(0xbeef));
    server.receive(handle, true, "receive");
    assertThat(server.nextSuccess().source()).isEqualTo(0xbeef);

    vector.remove(handle);
    long again = server.insert(client);
    assertThat(again).isEqualTo(handle);
    assertReported(client, toServer, server, again, Handles.NOT_AVAILABLE);
    vector.setUserId(again, new UserId(0xfeed));
    assertReported(client, toServer, server, again, 0xfeed);
  }

  @Proves("AV-176")
  @EachSetup
  void idsGivenAtInsertEndWithTheEntry(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    Peer server = environment.peer(vector);
    Peer client = environment.neighbour(server);
    long toServer = client.insert(server);
    long handle = server.insert(client, 0xabc);
    assertReported(client, toServer, server, handle, 0xabc);

    vector.remove(handle);
    long again = server.insert(client);
    assertReported(client, toServer, server, again, again);
  }

  @Proves("AV-188")
  @ParameterizedTest
  @EnumSource(
      value = EndpointType.class,
      names = {"DGRAM", "RDM"})
  void idsAreACapability(EndpointType type, ConformanceEnvironment environment) {
    Setup with = setup(ApiVersion.V2_1).endpointType(type);
    if (type == EndpointType.DGRAM) {
      with = with.caps(Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID);
    }
    assertThat(environment.info(with).has(Capability.AV_USER_ID)).isTrue();
    Setup without = Setup.DEFAULT.endpointType(type);
    assertThat(environment.info(without).has(Capability.AV_USER_ID))
        .as("granted only when asked for")
        .isFalse();
  }
}
