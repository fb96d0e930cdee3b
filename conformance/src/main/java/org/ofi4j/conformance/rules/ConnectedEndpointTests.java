// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.Stream;
import org.ofi4j.AddressVector;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.Handles;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** OBJ: what endpoints with one peer make of handles. */
@ConformanceTest
class ConnectedEndpointTests {
  static Stream<Setup> setups() {
    return TrafficSetups.bothWaysOfProgress(
        Setup.DEFAULT.endpointType(EndpointType.MSG).caps(Capability.MSG, Capability.TAGGED));
  }

  /** Two endpoints that are connected, and the queue of both. */
  private record Pair(Endpoint caller, Endpoint called, CompletionQueue queue) {}

  private static Pair connect(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    Fabric fabric = domain.fabric();
    EventQueue events = environment.eventQueue(fabric);
    Endpoint caller = environment.endpoint(domain);
    PassiveEndpoint passive = environment.keep(fabric.openPassiveEndpoint(caller.info()));
    passive.bind(events);
    passive.listen();
    CompletionQueue queue = environment.completionQueue(domain);
    AddressVector vector = environment.vector(domain);
    vector.insert(Addresses.list(vector.format(), 1, 3));
    bind(caller, events, queue);
    caller.bind(vector); // May be, and need not.
    caller.connect(passive.name());
    Event.ConnectionRequest request =
        (Event.ConnectionRequest) environment.await("a connection request", events::read);
    Endpoint called = environment.keep(domain.openEndpoint(request.info()));
    bind(called, events, queue);
    called.accept();
    for (int i = 0; i < 2; i++) {
      Event event = environment.await("a connection", events::read);
      assertThat(event).isInstanceOf(Event.Connected.class);
    }
    return new Pair(caller, called, queue);
  }

  private static void bind(Endpoint endpoint, EventQueue events, CompletionQueue queue) {
    endpoint.bind(events);
    endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
  }

  @Proves("AV-214")
  @EachSetup
  void handlesAreIgnored(Setup setup, ConformanceEnvironment environment) {
    Pair pair = connect(setup, environment);
    MemorySegment buffer = Arena.ofAuto().allocate(64);

    for (long handle : new long[] {Handles.NOT_AVAILABLE, Handles.UNSPECIFIED, 0, 2, 1L << 40}) {
      for (Map.Entry<Endpoint, Endpoint> way :
          Map.of(pair.caller(), pair.called(), pair.called(), pair.caller()).entrySet()) {
        way.getValue().receive(buffer, handle, "received", 0);
        way.getKey().send(Peer.message("to " + handle), handle, "sent");
        assertText(pair, environment, buffer, "to " + handle);
        way.getValue().receiveTagged(buffer, handle, 5, 0, "received", 0);
        way.getKey().sendTagged(Peer.message("tagged"), handle, 5, "sent");
        assertText(pair, environment, buffer, "tagged");
        way.getValue().receive(buffer, handle, "received", 0);
        way.getKey().inject(Peer.message("injected"), handle);
        Completion.Success came = environment.await("a message", pair.queue()::read);
        assertThat(Peer.text(buffer, came.length())).isEqualTo("injected");
      }
    }
  }

  private static void assertText(
      Pair pair, ConformanceEnvironment environment, MemorySegment buffer, String text) {
    int received = 0;
    for (int i = 0; i < 2; i++) {
      Completion.Success ended = environment.await("a completion", pair.queue()::read);
      if ("received".equals(ended.context())) {
        received++;
        assertThat(Peer.text(buffer, ended.length())).isEqualTo(text);
        assertThat(ended.source()).isEqualTo(Handles.NOT_AVAILABLE);
      }
    }
    assertThat(received).isEqualTo(1);
  }

  @Proves("AV-214")
  @EachSetup
  void noVectorIsNeededButAnEventQueue(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    Endpoint endpoint = environment.endpoint(domain);
    Expect.failure(Errno.ENOCQ, endpoint::enable);
    endpoint.bind(environment.completionQueue(domain), BindFlag.TRANSMIT, BindFlag.RECEIVE);
    Expect.failure(Errno.ENOEQ, endpoint::enable);
    endpoint.bind(environment.eventQueue(domain.fabric()));
    endpoint.enable();
    assertThat(endpoint.name()).isNotNull();
  }
}
