// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.Handles;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** RXB, RXA, OBJ: receive contexts that handles name, and those that endpoints share. */
@ConformanceTest
class ScalableEndpointTests {
  private static final int BITS = 3;

  /** As many as do not fill the bits. */
  private static final int CONTEXTS = 5;

  static Stream<Setup> setups() {
    return TrafficSetups.bothWaysOfProgress(
        Setup.DEFAULT
            .endpointType(EndpointType.RDM)
            .caps(Capability.MSG, Capability.TAGGED, Capability.NAMED_RECEIVE_CONTEXT));
  }

  /** A queue, and what it has delivered. */
  private static final class Ended {
    private final CompletionQueue queue;
    private final Deque<Completion> completions = new ArrayDeque<>();

    Ended(CompletionQueue queue) {
      this.queue = queue;
    }

    void collect() {
      Peer.collect(queue, completions);
    }
  }

  /** A scalable endpoint whose contexts are open, each with a queue. */
  private static final class Side {
    private final ConformanceEnvironment environment;
    private final AddressVector vector;
    private final ScalableEndpoint endpoint;
    private final List<TransmitContext> sends = new ArrayList<>();
    private final List<Ended> sent = new ArrayList<>();
    private final List<ReceiveContext> receives = new ArrayList<>();
    private final List<Ended> received = new ArrayList<>();

    Side(ConformanceEnvironment environment, Setup setup, int contexts) {
      this(environment, setup, VectorType.TABLE, contexts);
    }

    Side(ConformanceEnvironment environment, Setup setup, VectorType type, int contexts) {
      this.environment = environment;
      Domain domain =
          environment.domain(
              setup.hints().withTransmitContexts(contexts).withReceiveContexts(contexts));
      vector =
          environment.vector(
              domain, VectorOptions.defaults().withType(type).withReceiveContextBits(BITS));
      endpoint = environment.scalableEndpoint(vector);
      for (int i = 0; i < contexts; i++) {
        sends.add(environment.keep(endpoint.openTransmitContext(i, reportingTo(sent))));
        receives.add(environment.keep(endpoint.openReceiveContext(i, reportingTo(received))));
      }
    }

    /** With a new queue, which is added to a list. */
    private ContextOptions reportingTo(List<Ended> queues) {
      CompletionQueue queue = environment.completionQueue(endpoint.domain());
      queues.add(new Ended(queue));
      return ContextOptions.of(queue);
    }

    void collect() {
      sent.forEach(Ended::collect);
      received.forEach(Ended::collect);
    }
  }

  /** The next completion of a queue, good or bad; all data are moved meanwhile. */
  private static Completion next(Side of, Ended queue, Side other) {
    return of.environment.await(
        "a completion",
        () -> {
          of.collect();
          other.collect();
          return queue.completions.poll();
        });
  }

  private static void assertBusy(ThrowingCallable close) {
    assertThatThrownBy(close).isInstanceOf(FabricBusyException.class);
  }

  private static MemorySegment post(ReceiveContext receives, Object context) {
    MemorySegment buffer = Arena.ofAuto().allocate(64);
    receives.receive(buffer, context);
    return buffer;
  }

  /** Opaque ones, too, and those that are indices. */
  @Proves({"AV-022", "AV-143"})
  @ParameterizedTest
  @ValueSource(ints = {15, 20, 201})
  void aMapHandleNamesTheContext(int version, ConformanceEnvironment environment) {
    Setup setup =
        Setup.of(new ApiVersion(1 + version / 200, version % 200))
            .endpointType(EndpointType.RDM)
            .caps(Capability.MSG, Capability.NAMED_RECEIVE_CONTEXT);
    Side here = new Side(environment, setup, VectorType.MAP, 2);
    Side there = new Side(environment, setup, VectorType.MAP, 2);
    long handle = here.vector.insert(there.endpoint.address());
    for (int i = 0; i < 2; i++) {
      String text = "for " + i;
      post(there.receives.get(i), text);
      here.sends
          .getFirst()
          .send(Peer.message(text), Handles.atReceiveContext(handle, i, BITS), text);
      Completion received = next(there, there.received.get(i), here);
      assertThat(received).isInstanceOf(Completion.Success.class);
      assertThat(received.context()).isEqualTo(text);
      assertThat(next(here, here.sent.getFirst(), there)).isInstanceOf(Completion.Success.class);
    }
  }

  @Proves({"AV-031", "AV-033", "AV-034", "AV-143", "AV-212"})
  @EachSetup
  void aHandleNamesTheContext(Setup setup, ConformanceEnvironment environment) {
    Side here = new Side(environment, setup, CONTEXTS);
    Side there = new Side(environment, setup, CONTEXTS);
    long handle = here.vector.insert(there.endpoint.address());
    for (int i = 0; i < CONTEXTS; i++) {
      String text = "for " + i;
      MemorySegment buffer = post(there.receives.get(i), text);
      here.sends
          .get(CONTEXTS - 1 - i)
          .send(Peer.message(text), Handles.atReceiveContext(handle, i, BITS), text);
      Completion received = next(there, there.received.get(i), here);
      assertThat(received).isInstanceOf(Completion.Success.class);
      assertThat(received.context()).isEqualTo(text);
      assertThat(Peer.text(buffer, ((Completion.Success) received).length())).isEqualTo(text);
      assertThat(next(here, here.sent.get(CONTEXTS - 1 - i), there))
          .isInstanceOf(Completion.Success.class);
    }
    there.collect();
    assertThat(there.received).allMatch(each -> each.completions.isEmpty());
    TransmitContext sender = here.sends.getFirst();
    sender.send(Peer.message("beyond"), Handles.atReceiveContext(handle, CONTEXTS, BITS), "beyond");
    assertThat(next(here, here.sent.getFirst(), there))
        .isInstanceOfSatisfying(
            Completion.Failure.class,
            failure -> {
              assertThat(failure.context()).isEqualTo("beyond");
              assertThat(failure.errno()).isEqualTo(Errno.EINVAL);
            });
    for (int bits : new int[] {BITS + 1, BITS + 5}) {
      Expect.invalid(
          () -> sender.send(Peer.message("x"), Handles.atReceiveContext(handle, 1, bits), "bits"));
    }
    // A plain handle means the first one.
    post(there.receives.getFirst(), "plain");
    sender.send(Peer.message("plain"), handle, "plain");
    assertThat(next(there, there.received.getFirst(), here).context()).isEqualTo("plain");
  }

  @Proves(partly = "AV-034")
  @EachSetup
  void withoutTheCapabilityNoneIsNamed(Setup setup, ConformanceEnvironment environment) {
    Side there = new Side(environment, setup, 2);
    Setup plain = setup.caps(Capability.MSG, Capability.TAGGED);
    Side here = new Side(environment, plain, 2);
    long handle = here.vector.insert(there.endpoint.address());
    TransmitContext sender = here.sends.getLast();

    Expect.invalid(
        () -> sender.send(Peer.message("x"), Handles.atReceiveContext(handle, 1, BITS), "named"));
    post(there.receives.getFirst(), "first");
    sender.send(Peer.message("x"), Handles.atReceiveContext(handle, 0, BITS), "first");
    assertThat(next(there, there.received.getFirst(), here).context()).isEqualTo("first");
  }

  @Proves("AV-212")
  @EachSetup
  void contextsInheritTheVectorAndKeepTheEndpointOpen(
      Setup setup, ConformanceEnvironment environment) {
    Side side = new Side(environment, setup, 2);

    assertBusy(side.vector::close);
    assertBusy(side.endpoint::close);
    side.sends.forEach(TransmitContext::close);
    assertBusy(side.endpoint::close);
    side.receives.forEach(ReceiveContext::close);
    assertThat(side.vector.isOpen()).isTrue();
    assertBusy(side.vector::close);
    side.endpoint.close();
    side.vector.close();
  }

  @Proves("AV-213")
  @EachSetup
  void endpointsThatShareReceivesShareTheVector(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    AddressVector vector = environment.vector(domain);
    AddressVector other = environment.vector(domain);
    SharedReceiveContext shared =
        environment.keep(
            domain.openSharedReceiveContext(domain.info(), SharedReceiveOptions.none()));
    List<Ended> received = new ArrayList<>();
    List<FabricAddress> names = new ArrayList<>();
    EndpointOptions stranger =
        EndpointOptions.of(other, environment.completionQueue(domain)).withSharedReceives(shared);
    for (int i = 0; i < 2; i++) {
      CompletionQueue queue = environment.completionQueue(domain);
      received.add(new Ended(queue));
      EndpointOptions sharing = EndpointOptions.of(vector, queue).withSharedReceives(shared);
      names.add(environment.endpoint(domain, sharing).address());
      // A single endpoint decides the vector of all.
      Expect.invalid(() -> environment.endpoint(domain, stranger));
    }
    assertBusy(shared::close);
    Peer peer = environment.peer(domain);
    for (int i = 0; i < 2; i++) {
      Ended own = received.get(i);
      long handle = peer.vector().insert(names.get(i));
      MemorySegment buffer = Arena.ofAuto().allocate(64);
      shared.receive(buffer, "shared");
      peer.endpoint().send(Peer.message("to " + i), handle, "sent");
      Completion came =
          environment.await(
              "a completion",
              () -> {
                received.get(0).collect();
                received.get(1).collect();
                return own.completions.poll();
              });
      assertThat(came.context()).isEqualTo("shared");
      assertThat(Peer.text(buffer, 4)).isEqualTo("to " + i);
    }
    assertThat(received).allMatch(each -> each.completions.isEmpty());
  }
}
