// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.OtherProcess;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** Messages of endpoints whose vector several processes have open. */
@ConformanceTest
class SharedTrafficTests extends AddressTests {
  private final String name = "ofi4j conformance/" + UUID.randomUUID();
  private final VectorOptions table = VectorOptions.table().withName(name);

  private static List<Setup> both(Capability... caps) {
    Setup setup = Setup.DEFAULT.caps(caps);
    return List.of(setup.endpointType(EndpointType.DGRAM), setup.endpointType(EndpointType.RDM));
  }

  static List<Setup> setups() {
    return both(Capability.MSG, Capability.SHARED_AV, Capability.SOURCE);
  }

  static List<Setup> withUserIds() {
    return both(Capability.MSG, Capability.SHARED_AV, Capability.SOURCE, Capability.AV_USER_ID);
  }

  static List<Setup> directed() {
    return List.of(
        Setup.DEFAULT
            .caps(
                Capability.MSG,
                Capability.SHARED_AV,
                Capability.SOURCE,
                Capability.DIRECTED_RECEIVE)
            .endpointType(EndpointType.RDM));
  }

  /** libfabric's functional/rdm_shared_av.c: a child sends by the handle its parent inserted. */
  @Proves({"AV-039", "AV-048", "AV-049"})
  @EachSetup
  void childSendsThroughElementZero(Setup setup, ConformanceEnvironment environment) {
    Peer server = environment.peer(environment.vector(setup, VectorOptions.table()));
    Domain domain = environment.domain(setup);
    Peer parent = environment.peer(environment.vector(domain, table.withCount(1)));
    OtherProcess child = environment.otherProcess(setup, domain);
    child.open(table.withCount(1).withFlags(VectorFlag.READ));
    FabricAddress ofChild = child.endpoint();
    parent.insert(server);
    server.insert(parent);

    MemorySegment buffer = server.receive("from the child");
    child.tell("send", child.number("at", 0), "Hello from Child Client!");

    Completion.Success received = server.expect("Hello from Child Client!", buffer);
    assertThat(received.source()).as("never inserted").isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(server.vector().insert(ofChild)).isEqualTo(1);
    assertThat(Peer.source(parent.exchange(0, server))).isZero();
  }

  @Proves(partly = {"AV-039", "AV-185"})
  @EachSetup
  void sourcesAreFoundAmongWhatOthersInserted(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, table, environment);
    OtherProcess other = pair.other;
    other.tell("symmetric", "10.4.0.1", 50, "5000", 4);
    pair.expect("unknown", Handles.NOT_AVAILABLE);
    long handle = other.insert(pair.theirs);
    pair.expect("known", handle);
    assertThat(handle).isEqualTo(201);
    other.tell("remove", handle);
    pair.expect("removed", Handles.NOT_AVAILABLE);
    Expect.invalid(() -> pair.here.endpoint().send(Peer.message("x"), handle, "removed"));
    assertThat(pair.here.vector().insert(a(1))).as("its index is another's").isEqualTo(handle);
    pair.expect("index used again", Handles.NOT_AVAILABLE);
    long again = other.insert(pair.theirs);
    pair.expect("inserted again", again);
    other.tell("post", Handles.UNSPECIFIED);
    pair.here.send("an answer", again);
    assertThat(other.tell("received")).containsExactly("0", "an answer");
  }

  @Proves({"AV-175", "AV-176", "AV-188"})
  @ParameterizedTest
  @MethodSource("withUserIds")
  void userIdsAreOfOneProcessAndOneLife(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, table.withFlags(VectorFlag.USER_ID), environment);
    OtherProcess other = pair.other;
    long handle = other.insert(pair.theirs);
    pair.expect("default", Handles.NOT_AVAILABLE);
    pair.here.vector().setUserId(handle, new UserId(0xdead));
    pair.expect("given", 0xdead);
    pair.here.vector().setUserId(handle, new UserId(0xbeef));
    pair.expect("the last one wins", 0xbeef);
    other.tell("id", handle, 7);
    pair.expect("of this process", 0xbeef);

    other.tell("remove", handle);
    assertThat(other.insert(pair.theirs)).as("the same index").isEqualTo(handle);
    pair.expect("in another life", Handles.NOT_AVAILABLE);
    pair.here.vector().setUserId(handle, new UserId(5));
    pair.expect("given again", 5);
  }

  @Proves(partly = "AV-185")
  @ParameterizedTest
  @MethodSource("directed")
  void receivesWantOneLifeOfAnEntry(Setup setup, ConformanceEnvironment environment) {
    Pair pair = Pair.open(setup, table, environment);
    OtherProcess other = pair.other;
    long handle = other.insert(pair.theirs);
    MemorySegment first = pair.here.receive(handle, "of the first life");
    other.tell("remove", handle);
    assertThat(other.insert(pair.theirs)).as("the same index").isEqualTo(handle);
    MemorySegment second = pair.here.receive(handle, "of the second life");

    other.tell("send", 0, "a message");

    pair.here.expect("of the second life", handle, "a message", second);
    assertThat(first.get(ValueLayout.JAVA_BYTE, 0)).isZero();
  }

  /** An endpoint here and one in the other process on one vector, in which it is entry 0. */
  private record Pair(Peer here, OtherProcess other, FabricAddress theirs) {
    static Pair open(Setup setup, VectorOptions options, ConformanceEnvironment environment) {
      AddressVector vector = environment.vector(setup, options);
      OtherProcess other = environment.otherProcess(setup, vector.domain());
      other.open(options);
      Peer here = environment.peer(vector);
      assertThat(vector.insert(here.name())).isZero();
      return new Pair(here, other, other.endpoint());
    }

    /** What is reported as the source of a message from the other process. */
    void expect(String text, long source) {
      MemorySegment buffer = here.receive(text);
      other.tell("send", 0, text);
      assertThat(here.expect(text, buffer).source()).as(text).isEqualTo(source);
    }
  }
}
