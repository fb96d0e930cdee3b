// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** OBJ: what connectionless endpoints make of a vector. */
@ConformanceTest
class EndpointTests extends AddressTests {
  /** Both kinds of connectionless endpoints, both kinds of progress. */
  static Stream<Setup> setups() {
    return Stream.of(EndpointType.DGRAM, EndpointType.RDM)
        .flatMap(type -> TrafficSetups.bothWaysOfProgress(Setup.DEFAULT.endpointType(type)));
  }

  static Stream<Setup> endpointsOfAllFormats() {
    return setups().flatMap(TrafficSetups::allFormats);
  }

  private static Setup withSource(Setup setup) {
    return setup.caps(Capability.MSG, Capability.SOURCE);
  }

  private static AddressVector another(AddressVector vector, ConformanceEnvironment environment) {
    return environment.vector(vector.domain());
  }

  @Proves("AV-210")
  @EachSetup
  void endpointHasOneVector(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    AddressVector second = another(vector, environment);
    Domain domain = vector.domain();
    AddressVector foreign =
        environment.vector(environment.domain(domain.fabric()), VectorOptions.table());
    EndpointOptions options = EndpointOptions.none().withQueue(environment.completionQueue(domain));

    Expect.invalid(() -> environment.endpoint(domain, options.withVector(foreign)));
    // Options have one vector, the last that was said; flags for it cannot be said at all.
    MessageEndpoint endpoint =
        environment.endpoint(domain, options.withVector(second).withVector(vector));

    second.close();
    foreign.close();
    Expect.busy(vector::close, endpoint);
    endpoint.close();
    vector.close();
  }

  @Proves("AV-211")
  @EachSetup
  void openingLooksForQueueThenForVector(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    Domain domain = vector.domain();
    CompletionQueue queue = environment.completionQueue(domain);
    EndpointOptions none = EndpointOptions.none();

    Expect.failure(Errno.ENOCQ, () -> environment.endpoint(domain, none));
    Expect.failure(Errno.ENOCQ, () -> environment.endpoint(domain, none.withVector(vector)));
    Expect.failure(Errno.ENOAV, () -> environment.endpoint(domain, none.withQueue(queue)));

    // What was refused holds neither.
    MessageEndpoint endpoint = environment.endpoint(domain, EndpointOptions.of(vector, queue));
    assertThat(endpoint.address()).isNotNull();
    Expect.busy(vector::close, endpoint);
    Expect.busy(queue::close, endpoint);
  }

  @Proves("AV-215")
  @ParameterizedTest
  @MethodSource("endpointsOfAllFormats")
  void sourceIsHandleIfKnown(Setup setup, ConformanceEnvironment environment) {
    AddressVector mine = environment.vector(withSource(setup));
    AddressVector yours = another(mine, environment);
    mine.insert(Addresses.list(mine.format(), 1, 3)); // Handles here and there differ.
    Peer here = environment.peer(mine);
    Peer there = environment.peer(yours);
    long destination = here.insert(there);

    assertThat(Peer.source(here.exchange(destination, there))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(yours.size()).as("nobody is inserted unasked").isZero();

    yours.insert(Addresses.a(yours.format(), 9));
    long known = there.insert(here);
    assertThat(Peer.source(here.exchange(destination, there))).isEqualTo(known).isEqualTo(1);
    yours.remove(known);
    assertThat(Peer.source(here.exchange(destination, there))).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves(partly = "AV-215")
  @EachSetup
  void sourceIsMapHandle(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(withSource(setup), VectorOptions.defaults().withType(VectorType.MAP));
    Peer here = environment.peer(vector);
    Peer there = environment.peer(vector);
    long back = there.insert(here);

    assertThat(Peer.source(here.exchange(here.insert(there), there))).isEqualTo(back);
  }

  @Proves("AV-216")
  @ParameterizedTest
  @MethodSource("endpointsOfAllFormats")
  void unknownSenderComesWithItsAddress(Setup setup, ConformanceEnvironment environment) {
    AddressVector mine =
        environment.vector(setup.caps(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR));
    AddressVector yours = another(mine, environment);
    Peer here = environment.peer(mine);
    Peer there = environment.peer(yours);
    long destination = here.insert(there);

    MemorySegment buffer = there.receive("posted");
    here.send("who am I", destination);
    Completion.Failure failure = there.nextFailure();

    assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(failure.source()).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(failure.context()).isEqualTo("posted");
    assertThat(Peer.text(buffer, failure.length())).isEqualTo("who am I");
    assertThat(failure.errorData()).isEqualTo(Addresses.pack(here.name()));
    assertThat(failure.senderAddress(yours.format())).isEqualTo(here.name());
    assertThat(yours.size()).as("nobody is inserted unasked").isZero();

    MemorySegment fi = MemorySegment.ofArray(new long[1]);
    int inserted = yours.insert(MemorySegment.ofArray(failure.errorData()), 1, fi, null, 0, null);
    assertThat(inserted).isEqualTo(1);
    assertThat(Peer.source(here.exchange(destination, there)))
        .isEqualTo(fi.get(ValueLayout.JAVA_LONG, 0));
  }

  @Proves(partly = "AV-218")
  @EachSetup
  void unspecifiedSourceMatchesAnybody(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(withSource(setup));
    Peer receiver = environment.peer(another(vector, environment));
    Peer known = environment.peer(vector);
    Peer stranger = environment.peer(vector);
    long handle = receiver.insert(known);
    long destination = known.insert(receiver);

    assertThat(Handles.UNSPECIFIED).isEqualTo(-1L).isEqualTo(Handles.NOT_AVAILABLE);
    receiver.receive(-1L, "first");
    known.send("1", destination);
    assertThat(receiver.nextSuccess())
        .returns("first", Completion::context)
        .returns(handle, Completion.Success::source);
    receiver.receive(-1L, "second");
    stranger.send("2", destination);
    assertThat(receiver.nextSuccess())
        .returns("second", Completion::context)
        .returns(Handles.NOT_AVAILABLE, Completion.Success::source);
  }
}
