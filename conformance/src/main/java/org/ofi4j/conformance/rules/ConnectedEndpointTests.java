// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.Stream;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.Handles;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** OBJ: what endpoints with one peer make of handles. */
@ConformanceTest
class ConnectedEndpointTests extends AddressTests {
  static Stream<Setup> setups() {
    return TrafficSetups.bothWaysOfProgress(
        Setup.DEFAULT.endpointType(EndpointType.MSG).caps(Capability.MSG, Capability.TAGGED));
  }

  /** Two endpoints that are connected, and the queue of both. */
  private record Pair(ConnectedEndpoint caller, ConnectedEndpoint called, CompletionQueue queue) {}

  private Pair connect(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    Fabric fabric = domain.fabric();
    EventQueue events = environment.eventQueue(fabric);
    CompletionQueue queue = environment.completionQueue(domain);
    AddressVector vector = environment.vector(domain);
    vector.insert(list(1, 3));
    EndpointOptions options = EndpointOptions.of(events, queue);
    ConnectedEndpoint caller = // A vector may be given, and need not.
        (ConnectedEndpoint) environment.endpoint(domain, options.withVector(vector));
    PassiveEndpoint passive =
        environment.keep(fabric.openPassiveEndpoint(caller.info(), PassiveOptions.of(events)));
    caller.connect(passive.address());
    Event.ConnectionRequest request =
        (Event.ConnectionRequest) environment.await("a connection request", events::read);
    ConnectedEndpoint called =
        environment.keep(domain.openConnectedEndpoint(request.info(), options));
    called.accept();
    for (int i = 0; i < 2; i++) {
      Event event = environment.await("a connection", events::read);
      assertThat(event).isInstanceOf(Event.Connected.class);
    }
    return new Pair(caller, called, queue);
  }

  @Proves("AV-214")
  @EachSetup
  void handlesAreIgnored(Setup setup, ConformanceEnvironment environment) {
    Pair pair = connect(setup, environment);
    MemorySegment buffer = Arena.ofAuto().allocate(64);

    for (long handle : new long[] {Handles.NOT_AVAILABLE, Handles.UNSPECIFIED, 0, 2, 1L << 40}) {
      for (Map.Entry<ConnectedEndpoint, ConnectedEndpoint> way :
          Map.of(pair.caller(), pair.called(), pair.called(), pair.caller()).entrySet()) {
        way.getValue()
            .receive(new ReceiveRequest().memory(buffer).source(handle).context("received"));
        way.getKey().send(Peer.message("to " + handle), handle, "sent");
        assertText(pair, environment, buffer, "to " + handle);
        way.getValue()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffer)
                    .source(handle)
                    .pattern(TagPattern.exactly(5))
                    .context("received"));
        way.getKey()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(Peer.message("tagged"))
                    .destination(handle)
                    .tag(5)
                    .context("sent"));
        assertText(pair, environment, buffer, "tagged");
        way.getValue()
            .receive(new ReceiveRequest().memory(buffer).source(handle).context("received"));
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
    EventQueue events = environment.eventQueue(domain.fabric());
    EndpointOptions none = EndpointOptions.none();
    EndpointOptions queue = none.withQueue(environment.completionQueue(domain));

    Expect.failure(Errno.ENOCQ, () -> environment.endpoint(domain, none));
    Expect.failure(Errno.ENOEQ, () -> environment.endpoint(domain, queue));
    assertThat(environment.endpoint(domain, queue.withEvents(events)).address()).isNotNull();
  }
}
