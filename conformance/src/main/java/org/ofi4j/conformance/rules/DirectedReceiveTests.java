// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
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
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/**
 * Handles in all three places that they have in transfers: where messages go, whose messages a
 * receive wants, and who sent one. Over reliable endpoints, which alone can have all three.
 */
@ConformanceTest
class DirectedReceiveTests extends AddressTests {
  private static Setup setup(ApiVersion version, Capability... more) {
    return Setup.of(version)
        .caps(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .more(more)
        .endpointType(EndpointType.RDM);
  }

  static Stream<Setup> setups() {
    return TrafficSetups.reliable(
        setup(ApiVersion.V2_1, Capability.DIRECTED_RECEIVE),
        setup(ApiVersion.V1_0, Capability.DIRECTED_RECEIVE),
        setup(ApiVersion.V1_20, Capability.DIRECTED_RECEIVE));
  }

  /** A server that knows two clients, which know the server. */
  private record Three(
      Peer server, Peer one, Peer two, long ofOne, long ofTwo, long fromOne, long fromTwo) {
    static Three open(Setup setup, ConformanceEnvironment environment) {
      Peer server = environment.peer(environment.vector(setup));
      // Handles of the server here and there differ.
      Peer one = environment.neighbour(server);
      one.vector().insert(Addresses.list(one.vector().format(), 1, 2));
      Peer two = environment.neighbour(server);
      return new Three(
          server,
          one,
          two,
          server.insert(one),
          server.insert(two),
          one.insert(server),
          two.insert(server));
    }

    void sendOne(String text, boolean tagged) {
      one.send(text, fromOne, tagged);
    }

    void sendTwo(String text, boolean tagged) {
      two.send(text, fromTwo, tagged);
    }

    MemorySegment receive(long source, boolean tagged, Object context) {
      return server.receive(source, tagged, context);
    }

    void expect(Object context, long source, String text, MemorySegment buffer) {
      server.expect(context, source, text, buffer);
    }
  }

  private static final boolean[] BOTH = {false, true};

  @Proves("AV-185")
  @EachSetup
  void handlesNameTargetsWantedAndActualSources(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    for (boolean tagged : BOTH) {
      MemorySegment second = three.receive(three.ofTwo(), tagged, "of two");
      MemorySegment first = three.receive(three.ofOne(), tagged, "of one");
      three.sendOne("from one", tagged);
      three.expect("of one", three.ofOne(), "from one", first);
      three.sendTwo("from two", tagged);
      three.expect("of two", three.ofTwo(), "from two", second);
    }
    assertThat(Peer.source(three.server().exchange(three.ofTwo(), three.two())))
        .isEqualTo(three.fromTwo());
    assertThat(Peer.source(three.server().exchange(three.ofOne(), three.one())))
        .isEqualTo(three.fromOne());
  }

  @Proves({"AV-217", "AV-218"})
  @EachSetup
  void directedReceivesWaitForTheirSource(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    for (boolean tagged : BOTH) {
      MemorySegment wanted = three.receive(three.ofTwo(), tagged, "of two");
      MemorySegment any = three.receive(-1L, tagged, "of any");
      three.sendOne("1", tagged);
      three.expect("of any", three.ofOne(), "1", any);
      any = three.receive(Handles.UNSPECIFIED, tagged, "of any");
      three.sendTwo("2", tagged); // the one that was posted first
      three.expect("of two", three.ofTwo(), "2", wanted);
      three.sendTwo("3", tagged);
      three.expect("of any", three.ofTwo(), "3", any);
    }
    for (long nobody : new long[] {77, 1L << 31, 1L << 40, Long.MIN_VALUE}) {
      for (boolean tagged : BOTH) {
        Expect.invalid(() -> three.receive(nobody, tagged, "nobody's"));
      }
    }
    assertThat(three.server().poll()).isNull();
  }

  /** Bits of the tag that a receive ignores say nothing about its source. */
  @Proves("AV-217")
  @EachSetup
  void receivesThatIgnoreTagBitsWaitForTheirSource(
      Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    Peer server = three.server();
    for (TagPattern pattern : Peer.PATTERNS) {
      MemorySegment wanted = server.receive(three.ofTwo(), pattern, "of two");
      MemorySegment any = server.receive(Handles.UNSPECIFIED, pattern, "of any");
      three.sendOne("1", true);
      three.expect("of any", three.ofOne(), "1", any);
      three.sendTwo("2", true);
      three.expect("of two", three.ofTwo(), "2", wanted);

      three.sendTwo("early, 3", true);
      three.sendOne("early, 4", true);
      wanted = server.receive(three.ofOne(), pattern, "of one");
      three.expect("of one", three.ofOne(), "early, 4", wanted);
      any = server.receive(Handles.UNSPECIFIED, pattern, "of any");
      three.expect("of any", three.ofTwo(), "early, 3", any);
    }
  }

  @Proves("AV-217")
  @Test
  void withoutTheCapabilitySourcesAreNotLookedAt(ConformanceEnvironment environment) {
    Three three = Three.open(setup(ApiVersion.V2_1), environment);
    for (boolean tagged : BOTH) {
      for (long source : new long[] {three.ofTwo(), 77, -1L}) {
        MemorySegment buffer = three.receive(source, tagged, "receive");
        three.sendOne("from one", tagged);
        three.expect("receive", three.ofOne(), "from one", buffer);
      }
    }
  }

  @Proves("AV-217")
  @Test
  void taggedReceivesAloneAreDirected(ConformanceEnvironment environment) {
    Three three =
        Three.open(setup(ApiVersion.V2_1, Capability.TAGGED_DIRECTED_RECEIVE), environment);
    MemorySegment untagged = three.receive(three.ofTwo(), false, "untagged");
    three.sendOne("a", false);
    three.expect("untagged", three.ofOne(), "a", untagged);

    MemorySegment tagged = three.receive(three.ofTwo(), true, "tagged");
    three.sendOne("b", true);
    three.sendTwo("c", true);
    three.expect("tagged", three.ofTwo(), "c", tagged);
    Expect.invalid(() -> three.receive(77, true, "nobody's"));
  }

  @Proves({"AV-217", "AV-218"})
  @Test
  void exactReceivesNameTheirSource(ConformanceEnvironment environment) {
    Three three =
        Three.open(setup(ApiVersion.V2_1, Capability.EXACT_DIRECTED_RECEIVE), environment);
    for (boolean tagged : BOTH) {
      Expect.invalid(() -> three.receive(Handles.UNSPECIFIED, tagged, "any"));
      MemorySegment buffer = three.receive(three.ofTwo(), tagged, "of two");
      three.sendOne("kept", tagged);
      three.sendTwo("taken", tagged);
      three.expect("of two", three.ofTwo(), "taken", buffer);
      buffer = three.receive(three.ofOne(), tagged, "of one");
      three.expect("of one", three.ofOne(), "kept", buffer);
    }
  }

  /** Neither a receive nor a message that waits passes on to who gets the number next. */
  @Proves({"AV-129", "AV-126"})
  @EachSetup
  void receivesDieWithTheirEntry(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    Peer server = three.server();
    AddressVector vector = server.vector();
    List<Object> old = List.of(new Object(), new Object(), new Object(), new Object());
    three.receive(three.ofOne(), false, old.get(0));
    three.receive(three.ofOne(), true, old.get(1));
    server.receive(three.ofOne(), Peer.PATTERNS.getFirst(), old.get(2));
    server.receive(three.ofOne(), Peer.PATTERNS.getLast(), old.get(3));
    MemorySegment onItsWay = three.one().receive("on its way");
    server.endpoint().send(Peer.message("accepted"), three.ofOne(), "accepted");

    vector.remove(three.ofOne());

    assertThat(server.completionOf("accepted")).isInstanceOf(Completion.Success.class);
    assertThat(Peer.text(onItsWay, three.one().nextSuccess().length())).isEqualTo("accepted");
    for (boolean tagged : BOTH) {
      Expect.invalid(() -> three.receive(three.ofOne(), tagged, "too late"));
    }
    Expect.invalid(() -> server.endpoint().send(Peer.message("x"), three.ofOne(), null));
    Expect.invalid(() ->
        server
            .reliable()
            .sendTagged(
                new TaggedSendRequest()
                    .memory(Peer.message("x"))
                    .destination(three.ofOne())
                    .tag(Peer.TAG)));
    Expect.invalid(() -> server.endpoint().inject(Peer.message("x"), three.ofOne()));
    Expect.invalid(() ->
        server
            .reliable()
            .injectTagged(
                new TaggedSendRequest()
                    .memory(Peer.message("x"))
                    .destination(three.ofOne())
                    .tag(Peer.TAG)));
    Expect.invalid(() -> vector.lookup(three.ofOne()));
    Expect.invalid(() -> vector.remove(three.ofOne()));

    long again = server.insert(three.one());
    for (boolean tagged : BOTH) {
      three.sendOne("after", tagged);
      MemorySegment buffer = three.receive(again, tagged, "new");
      three.expect("new", again, "after", buffer);
    }
    for (Object context : old) {
      assertThat(server.endpoint().cancel(context)).isTrue();
      assertThat(((Completion.Failure) server.completionOf(context)).errno())
          .isEqualTo(Errno.ECANCELED);
    }
    assertThat(server.poll()).isNull();
  }

  @Proves("AV-132")
  @EachSetup
  void aRemovedPeerStillReachesUs(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    three.server().vector().remove(three.ofOne());
    for (boolean tagged : BOTH) {
      three.receive(three.ofTwo(), tagged, "of two");
      MemorySegment buffer = three.receive(-1L, tagged, "of any");
      three.sendOne("still there", tagged);
      three.expect("of any", Handles.NOT_AVAILABLE, "still there", buffer);
    }
    assertThat(three.server().vector().size()).isEqualTo(1);
  }

  @Proves("AV-180")
  @EachSetup
  void trafficWorksAfterAThousandReturns(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    Peer server = three.server();
    AddressVector vector = server.vector();
    long handle = three.ofOne();
    long bytes = 0;
    for (int round = 0; round < 1_000; round++) {
      vector.remove(handle);
      handle = server.insert(three.one());
      if (round == 100) {
        bytes = vector.statistics().memory().held();
      }
      if (round % 100 == 0) {
        assertThat(vector.lookup(handle)).isEqualTo(three.one().name());
        MemorySegment buffer = three.receive(handle, true, "again");
        three.sendOne("back", true);
        three.expect("again", handle, "back", buffer);
        assertThat(Peer.source(server.exchange(handle, three.one()))).isEqualTo(three.fromOne());
      }
    }
    if (!setup.isAppendOnly()) { // which has a new index for each
      assertThat(vector.statistics().memory().held()).isEqualTo(bytes);
    }
    assertThat(vector.size()).isEqualTo(2);
  }

  /** The candidate's entry for any address, as the source of a receive. */
  @Proves("AV-079")
  @EachSetup
  void theEntryForAnyAddressMatchesEverySource(Setup setup, ConformanceEnvironment environment) {
    Three three = Three.open(setup, environment);
    AddressVector vector = three.server().vector();
    long[] handles = {7};
    MemorySegment fi = MemorySegment.ofArray(handles);
    if (!setup.isAppendOnly()) {
      Expect.invalid(() -> vector.insert(null, 1, fi, null, 0, null));
      return;
    }
    assertThat(vector.insert(null, 1, fi, null, 0, null)).isEqualTo(1);
    for (boolean tagged : BOTH) {
      MemorySegment buffer = three.receive(handles[0], tagged, "of any");
      three.sendTwo("two", tagged);
      three.expect("of any", three.ofTwo(), "two", buffer);
      buffer = three.receive(handles[0], tagged, "of any");
      three.sendOne("one", tagged);
      three.expect("of any", three.ofOne(), "one", buffer);
    }
  }

  /** What fi_unexpected_msg of libfabric's tests does. */
  @Proves(partly = "AV-185")
  @EachSetup
  void messagesThatCameBeforeTheirSenderWasInserted(
      Setup setup, ConformanceEnvironment environment) {
    Peer server = environment.peer(environment.vector(setup));
    Peer client = environment.neighbour(server);
    long toServer = client.insert(server);
    client.send("first", toServer, true);
    client.send("second", toServer, true);
    MemorySegment any = server.receive(Handles.UNSPECIFIED, true, "any");
    server.expect("any", Handles.NOT_AVAILABLE, "first", any);

    long inserted = server.insert(client);
    MemorySegment directed = server.receive(inserted, true, "directed");
    server.expect("directed", inserted, "second", directed);
  }
}
