// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.rules.AuthKeyTests.key;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.OtherProcess;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/**
 * Authorization keys, peer groups and receive contexts, with the other side in a JVM of its own.
 */
@ConformanceTest
class DistantPeerTests {
  private static final int MOST = 1000;

  /** Long enough for another process to say no. */
  private static final Duration PATIENT = Duration.ofSeconds(3);

  private static final int BITS = 2;
  private static final int CONTEXTS = 3;

  private static Setup setup(Capability... more) {
    return Setup.DEFAULT
        .caps(Capability.MSG, Capability.SOURCE)
        .more(more)
        .endpointType(EndpointType.RDM);
  }

  /** Here with keys 1 and 2, there with 2 and 3, if there are keys at all. */
  private record Sides(Peer here, long[] keysHere, OtherProcess there, long[] keysThere) {
    static Sides withKeys(ConformanceEnvironment environment, Setup setup) {
      Domain domain = environment.domain(setup.hintsForKeys());
      AddressVector vector = environment.vector(domain);
      long[] here = keys(1, 2).map(each -> vector.insertAuthKey(key((int) each))).toArray();
      OtherProcess other = environment.otherProcess(setup, domain);
      other.open(VectorOptions.table());
      long[] there = keys(2, 3).map(each -> other.insertAuthKey(key((int) each))).toArray();
      return new Sides(environment.peer(vector), here, other, there);
    }

    private static LongStream keys(int... numbers) {
      return IntStream.of(numbers).asLongStream();
    }

    long insert(FabricAddress address, int key) {
      return AuthKeyTrafficTests.insertUnder(here.vector(), address, keysHere[key]);
    }
  }

  @Proves({"AV-094", "AV-095", "AV-157", "AV-162", "AV-165", "AV-172"})
  @Test
  void keysOfAnotherProcess(ConformanceEnvironment environment) {
    Sides sides = Sides.withKeys(environment, setup(Capability.DIRECTED_RECEIVE));
    Peer here = sides.here();
    FabricAddress name = sides.there().endpoint();
    MemorySegment buffer = Arena.ofAuto().allocate(64);
    long to = sides.there().insert(here.name(), sides.keysThere()[0]);

    // By the key, from whom nobody knows here; then by address and key; not by another key.
    here.endpoint()
        .receive(
            new ReceiveRequest()
                .memory(buffer)
                .sourceUnderKey(sides.keysHere()[0])
                .context("of the other key"));
    here.endpoint()
        .receive(
            new ReceiveRequest()
                .memory(buffer)
                .sourceUnderKey(sides.keysHere()[1])
                .context("of the key"));
    sides.there().tell("send", to, "one");
    here.expect("of the key", Handles.NOT_AVAILABLE);
    long known = sides.insert(name, 1);
    here.receive(sides.insert(name, 0), "of the address under the other key");
    here.receive(known, "of the address under the key");
    sides.there().tell("send", to, "two");
    here.expect("of the address under the key", known);

    sides.there().tell("post", Handles.UNSPECIFIED);
    here.send("an answer", known);
    assertThat(sides.there().tell("received")).containsExactly(String.valueOf(to), "an answer");
  }

  @Proves({"AV-157", "AV-158", "AV-159"})
  @Test
  void keysThatTheOtherProcessDoesNotHold(ConformanceEnvironment environment) {
    Setup setup = setup();
    Hints hints = setup.hintsForKeys();
    Sides sides = Sides.withKeys(environment, setup);
    FabricAddress name = sides.there().endpoint();
    // What its vector gets now is for endpoints that it opens later.
    sides.there().insertAuthKey(key(1));
    assertThat(AuthKeyTrafficTests.refused(environment, hints, name, 1, PATIENT).errno())
        .isEqualTo(Errno.EKEYREJECTED);
    sides.there().tell("post", Handles.UNSPECIFIED);
    sides.here().send("under the right one", sides.insert(name, 1));
    assertThat(sides.there().tell("received")[1]).isEqualTo("under the right one");
    FabricAddress later = sides.there().endpoint();
    sides.there().tell("post", Handles.UNSPECIFIED);
    sides.here().send("under the late one", sides.insert(later, 0));
    assertThat(sides.there().tell("received")[1]).isEqualTo("under the late one");
  }

  @Proves({"AV-166", "AV-186", "AV-220"})
  @Test
  void memoryForKeysOfAnotherProcess(ConformanceEnvironment environment) {
    Sides sides = Sides.withKeys(environment, setup(Capability.DIRECTED_RECEIVE, Capability.RMA));
    AddressVector vector = sides.here().vector();
    FabricAddress name = sides.there().endpoint();
    MemorySegment memory = Arena.ofAuto().allocate(Long.BYTES);
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
    long to = sides.there().insert(sides.here().name(), sides.keysThere()[0]);
    MemoryRegion all =
        environment.keep(
            vector
                .domain()
                .register(memory, RegisterOptions.of(Access.REMOTE_READ).withAnyAuthKey(vector)));
    MemoryRegion others =
        environment.keep(
            vector
                .domain()
                .register(
                    memory,
                    RegisterOptions.of(Access.REMOTE_READ)
                        .withAuthKey(vector, sides.keysHere()[0])));
    MemoryRegion its =
        environment.keep(
            vector
                .domain()
                .register(
                    memory,
                    RegisterOptions.of(Access.REMOTE_READ)
                        .withAuthKey(vector, sides.keysHere()[1])));
    MemoryRegion one =
        environment.keep(
            AuthKeyTrafficTests.registerForPeer(vector, memory, sides.insert(name, 1)));
    for (MemoryRegion region : List.of(all, its, one)) {
      assertThat(sides.there().number("read", to, region.key())).isEqualTo(42);
    }
    assertThat(sides.there().tell("read", to, others.key())).containsExactly("ECONNRESET");
    assertThat(sides.there().number("read", to, its.key())).isEqualTo(42);
  }

  @Proves({"AV-147", "AV-194", "AV-197", "AV-198"})
  @Test
  void groupsOfAnotherProcess(ConformanceEnvironment environment) {
    Setup setup = setup();
    Domain domain = environment.domain(setup.hints().withMaxGroupId(MOST));
    Peer here = environment.peer(domain);
    OtherProcess there = environment.otherProcess(setup, domain);
    there.open(VectorOptions.table());
    long source = here.vector().insert(there.endpoint());
    long to = there.insert(here.name());

    for (int group : new int[] {0, 7, MOST}) {
      here.receive(Handles.anySourceInGroup(group), group);
    }
    for (int group : new int[] {MOST, 7, 0}) {
      there.tell("send", Handles.inGroup(to, group), "in " + group);
      here.expect(group, source);
    }
    there.fails(Errno.EINVAL, "send", Handles.inGroup(to, MOST + 1), "too far");

    there.tell("post", Handles.inGroup(to, 3));
    there.tell("post", Handles.UNSPECIFIED);
    here.send("in none", source);
    assertThat(there.tell("received")[0]).isEqualTo(String.valueOf(to));
    here.send("in three", Handles.inGroup(source, 3));
    assertThat(there.tell("received")[0]).isEqualTo(String.valueOf(to));
  }

  @Proves({"AV-034", "AV-141", "AV-143", "AV-212"})
  @Test
  void receiveContextsOfAnotherProcess(ConformanceEnvironment environment) {
    // Nobody here reads queues while the other side sends.
    Setup setup = setup(Capability.NAMED_RECEIVE_CONTEXT).progress(Progress.AUTO);
    Domain domain = environment.domain(setup.hints().withReceiveContexts(CONTEXTS));
    VectorOptions options = VectorOptions.table().withReceiveContextBits(BITS);
    ScalableEndpoint endpoint = environment.scalableEndpoint(environment.vector(domain, options));
    List<CompletionQueue> queues = new ArrayList<>();
    for (int i = 0; i < CONTEXTS; i++) {
      queues.add(environment.completionQueue(domain));
      ReceiveContext context =
          environment.keep(endpoint.openReceiveContext(i, ContextOptions.of(queues.get(i))));
      context.receive(Arena.ofAuto().allocate(64), "at context " + i);
    }
    OtherProcess there = environment.otherProcess(setup, domain);
    there.open(options);
    there.endpoint();
    long to = there.insert(endpoint.address());
    for (int i = CONTEXTS - 1; i >= 0; i--) {
      int context = i;
      CompletionQueue queue = queues.get(i);
      there.tell("send", Handles.atReceiveContext(to, context, BITS), "to " + context);
      Completion received =
          environment.await("the message for context " + context, () -> queue.read());
      assertThat(received.context()).isEqualTo("at context " + context);
    }
    assertThat(there.tell("refused", Handles.atReceiveContext(to, CONTEXTS, BITS)))
        .as("the peer has contexts 0 to 2")
        .containsExactly("EINVAL");
  }
}
