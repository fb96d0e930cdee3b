// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.InfoAnswer;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedSendRequest;
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

/** GRP and PG: peer groups, with messages. */
@ConformanceTest
class GroupTests extends AddressTests {
  private static final int MOST = 255;
  private static final boolean[] BOTH = {false, true};

  private static Setup setup(Capability... more) {
    return Setup.DEFAULT
        .caps(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .more(more)
        .endpointType(EndpointType.RDM);
  }

  static Stream<Setup> setups() {
    Setup directed = setup(Capability.DIRECTED_RECEIVE);
    return TrafficSetups.reliable(directed, setup(), directed.domainType(VectorType.MAP));
  }

  /** A domain whose handles may carry groups up to one; aborts the test if there is none. */
  private static Domain domain(Setup setup, int most, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup.hints().withMaxGroupId(most));
    assertThat(domain.info().domain().maxGroupId()).isGreaterThanOrEqualTo(most);
    return domain;
  }

  private static AddressVector vector(Domain domain, ConformanceEnvironment environment) {
    return environment.vector(domain, VectorOptions.defaults());
  }

  /** Two peers that know each other; their handles differ. */
  private record Two(Peer one, Peer two, long toOne, long toTwo) {
    static Two open(Setup setup, ConformanceEnvironment environment) {
      Domain domain = domain(setup, MOST, environment);
      Peer one = environment.peer(vector(domain, environment));
      Peer two = environment.peer(vector(domain, environment));
      two.vector().insert(Addresses.list(two.vector().format(), 1, 3));
      return new Two(one, two, two.insert(one), one.insert(two));
    }

    void sendToTwo(String text, int group, boolean tagged) {
      one.send(text, Handles.inGroup(toTwo, group), tagged);
    }

    MemorySegment receiveAtTwo(long source, boolean tagged, Object context) {
      return two.receive(source, tagged, context);
    }

    /** The next completion at the second peer is that of a receive. */
    void expectAtTwo(Object context, String text, MemorySegment buffer) {
      two.expect(context, toOne, text, buffer);
    }
  }

  @Proves({"AV-194", "AV-198"})
  @EachSetup
  void groupsKeepTheirTrafficToThemselves(Setup setup, ConformanceEnvironment environment) {
    Two two = Two.open(setup, environment);
    for (boolean tagged : BOTH) {
      MemorySegment inTwo = two.receiveAtTwo(Handles.inGroup(two.toOne(), 2), tagged, "in two");
      MemorySegment inNone = two.receiveAtTwo(Handles.UNSPECIFIED, tagged, "in none");
      MemorySegment inOne = two.receiveAtTwo(Handles.inGroup(two.toOne(), 1), tagged, "in one");

      two.sendToTwo("of one", 1, tagged);
      two.expectAtTwo("in one", "of one", inOne);
      two.sendToTwo("of none", 0, tagged);
      two.expectAtTwo("in none", "of none", inNone);
      two.sendToTwo("of two", 2, tagged);
      two.expectAtTwo("in two", "of two", inTwo);
    }
  }

  @Proves("AV-198")
  @EachSetup
  void undeliveredMessagesWaitForTheirGroup(Setup setup, ConformanceEnvironment environment) {
    Two two = Two.open(setup, environment);
    for (boolean tagged : BOTH) {
      two.receiveAtTwo(Handles.inGroup(two.toOne(), 3), tagged, "in three");
      for (int group : new int[] {MOST, 0, 7, MOST}) {
        two.sendToTwo("of " + group, group, tagged);
      }
      MemorySegment seven = two.receiveAtTwo(Handles.anySourceInGroup(7), tagged, "7");
      two.expectAtTwo("7", "of 7", seven);
      MemorySegment last = two.receiveAtTwo(Handles.inGroup(two.toOne(), MOST), tagged, "l");
      two.expectAtTwo("l", "of " + MOST, last);
      MemorySegment none = two.receiveAtTwo(Handles.UNSPECIFIED, tagged, "n");
      two.expectAtTwo("n", "of 0", none);
      last = two.receiveAtTwo(Handles.anySourceInGroup(MOST), tagged, "l");
      two.expectAtTwo("l", "of " + MOST, last);

      assertThat(two.two().poll()).isNull();
      two.sendToTwo("of 3", 3, tagged);
      assertThat(two.two().nextSuccess().context()).isEqualTo("in three");
    }
  }

  /** Bits of the tag that a receive ignores are not those of the group. */
  @Proves({"AV-194", "AV-198"})
  @EachSetup
  void receivesThatIgnoreTagBitsKeepToTheirGroup(Setup setup, ConformanceEnvironment environment) {
    Two two = Two.open(setup, environment);
    for (TagPattern pattern : Peer.PATTERNS) {
      Peer to = two.two();
      MemorySegment five = to.receive(Handles.inGroup(two.toOne(), 5), pattern, "5");
      MemorySegment none = to.receive(Handles.UNSPECIFIED, pattern, "0");
      MemorySegment six = to.receive(Handles.anySourceInGroup(6), pattern, "6");
      two.sendToTwo("of 6", 6, true);
      two.expectAtTwo("6", "of 6", six);
      two.sendToTwo("of 0", 0, true);
      two.expectAtTwo("0", "of 0", none);
      two.sendToTwo("of 5", 5, true);
      two.expectAtTwo("5", "of 5", five);

      // The same with messages that come before their receives.
      for (int group : new int[] {5, 0, 6}) {
        two.sendToTwo("early, of " + group, group, true);
      }
      six = to.receive(Handles.inGroup(two.toOne(), 6), pattern, "6");
      two.expectAtTwo("6", "early, of 6", six);
      none = to.receive(Handles.UNSPECIFIED, pattern, "0");
      two.expectAtTwo("0", "early, of 0", none);
      five = to.receive(Handles.anySourceInGroup(5), pattern, "5");
      two.expectAtTwo("5", "early, of 5", five);
    }
  }

  @Proves({"AV-198", "AV-200"})
  @Test
  void directedReceivesNeedSourceAndGroup(ConformanceEnvironment environment) {
    Setup setup = setup(Capability.DIRECTED_RECEIVE);
    Two two = Two.open(setup, environment);
    Peer third = environment.peer(vector(two.one().vector().domain(), environment));
    long ofThird = two.two().insert(third);
    long fromThird = third.insert(two.two());
    for (boolean tagged : BOTH) {
      MemorySegment wanted = two.receiveAtTwo(Handles.inGroup(ofThird, 9), tagged, "third in nine");
      two.sendToTwo("another sender", 9, tagged);
      third.send("another group", Handles.inGroup(fromThird, 8), tagged);
      third.send("both", Handles.inGroup(fromThird, 9), tagged);
      two.two().expect("third in nine", ofThird, "both", wanted);
      // Who names no source names the group all the same.
      MemorySegment nine = two.receiveAtTwo(Handles.anySourceInGroup(9), tagged, "nine");
      two.expectAtTwo("nine", "another sender", nine);
      MemorySegment eight = two.receiveAtTwo(Handles.anySourceInGroup(8), tagged, "eight");
      two.two().expect("another group", eight);
    }
  }

  /** Nobody registers, and nobody asks whether a peer belongs to a group. */
  @Proves("AV-195")
  @Test
  void groupsDoNotProtect(ConformanceEnvironment environment) {
    Two two = Two.open(setup(), environment);
    MemorySegment first = two.receiveAtTwo(Handles.anySourceInGroup(5), false, "received");
    two.sendToTwo("uninvited", 5, false);
    two.expectAtTwo("received", "uninvited", first);
    Peer stranger = environment.peer(vector(two.one().vector().domain(), environment));
    MemorySegment second = two.receiveAtTwo(Handles.anySourceInGroup(5), false, "received");
    stranger.send("a stranger", Handles.inGroup(stranger.insert(two.two()), 5));
    two.two().expect("a stranger", second);
  }

  @Proves("AV-196")
  @Test
  void aPeerIsInManyGroups(ConformanceEnvironment environment) {
    Two two = Two.open(setup(Capability.DIRECTED_RECEIVE), environment);
    MemorySegment[] buffers = new MemorySegment[MOST + 1];
    for (int group = 0; group <= MOST; group++) {
      long source = Handles.inGroup(two.toOne(), group);
      buffers[group] = two.receiveAtTwo(source, false, group);
    }
    for (int group = MOST; group >= 0; group--) {
      two.sendToTwo("of " + group, group, false);
      two.expectAtTwo(group, "of " + group, buffers[group]);
    }
  }

  @Proves({"AV-196", "AV-197"})
  @Test
  void aGroupHasManyPeers(ConformanceEnvironment environment) {
    Two two = Two.open(setup(Capability.DIRECTED_RECEIVE), environment);
    AddressVector vector = two.one().vector();
    int many = 10_001;
    List<Long> members = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      members.add(Handles.inGroup(vector.insert(a(i + 10)), 1));
    }
    for (int i = 0; i < many; i++) {
      assertThat((int) (long) members.get(i)).isEqualTo((int) (members.get(0) + i));
      Expect.address(vector, members.get(i), a(i + 10));
    }
    two.one().receive(members.get(many - 1), "of the last");
    two.sendToTwo("among many", 1, false);
    MemorySegment buffer = two.receiveAtTwo(Handles.anySourceInGroup(1), false, "received");
    two.expectAtTwo("received", "among many", buffer);
  }

  @Proves({"AV-146", "AV-197", "AV-200"})
  @ParameterizedTest
  @ValueSource(strings = {"TABLE", "MAP"})
  void callsOnTheVectorLookPastTheGroup(VectorType type, ConformanceEnvironment environment) {
    AddressVector vector = vector(domain(setup().domainType(type), MOST, environment), environment);
    vector.insert(list(1, 6));
    for (int group : new int[] {0, 1, MOST}) {
      long marked = Handles.inGroup(5, group);
      assertThat(marked & 0xFFFF_FFFFL).isEqualTo(5);
      assertThat(marked >>> 32).isEqualTo(group);
      Expect.address(vector, marked, a(6));
    }
    vector.remove(Handles.inGroup(5, 7));
    Expect.unset(vector, 5);
    Expect.unset(vector, Handles.inGroup(5, 7));
    long regrouped = Handles.inGroup(Handles.inGroup(4, 0x70), 0x8F);
    assertThat(regrouped).as("in another group").isEqualTo(Handles.inGroup(4, 0x8F));
    Expect.address(vector, regrouped, a(5));
    Expect.unset(vector, Handles.anySourceInGroup(7));
  }

  @Proves({"AV-147", "AV-199"})
  @ParameterizedTest
  @ValueSource(ints = {0, 1, MOST})
  void groupsBeyondTheLargestAreRefused(int asked, ConformanceEnvironment environment) {
    Domain domain = domain(setup(Capability.DIRECTED_RECEIVE), asked, environment);
    Peer peer = environment.peer(vector(domain, environment));
    long self = peer.insert(peer);
    int most = domain.info().domain().maxGroupId();

    int[] beyond = {most + 1, most + 77, Integer.MIN_VALUE, -2};
    for (int group : beyond) {
      if (Integer.compareUnsigned(group, most) > 0) {
        long marked = Handles.inGroup(self, group);
        long any = Handles.anySourceInGroup(group);
        Expect.unset(peer.vector(), marked);
        Expect.invalid(() -> peer.endpoint().send(Peer.message("x"), marked, null));
        Expect.invalid(() ->
            peer.reliable()
                .sendTagged(
                    new TaggedSendRequest()
                        .memory(Peer.message("x"))
                        .destination(marked)
                        .tag(Peer.TAG)));
        Expect.invalid(() -> peer.endpoint().inject(Peer.message("x"), marked));
        for (boolean tagged : BOTH) {
          Expect.invalid(() -> peer.receive(marked, tagged, "x"));
          Expect.invalid(() -> peer.receive(any, tagged, "x"));
        }
      }
    }
    // The largest one is one of them, and 0 is that of handles without any.
    assertThat(Handles.inGroup(self, 0)).isEqualTo(self);
    MemorySegment buffer = peer.receive(Handles.inGroup(self, most), "received");
    peer.send("to the largest", Handles.inGroup(self, most));
    peer.expect("to the largest", buffer);
  }

  @Proves("AV-199")
  @ParameterizedTest
  @ValueSource(ints = {1, 255, 1_000_000, Integer.MAX_VALUE})
  void theLargestGroupIsNegotiated(int asked, ConformanceEnvironment environment) {
    domain(setup(), MOST, environment); // whoever has groups at all
    InfoAnswer answer = environment.answer(setup().hints().withMaxGroupId(asked));
    assertThat(answer.offers()).allMatch(info -> info.domain().maxGroupId() >= asked);
    if (answer.offers().isEmpty()) {
      assertThat(answer.refusals())
          .isNotEmpty()
          .allMatch(refusal -> refusal.errno() == Errno.ENODATA);
    }
    // Groups came with 2.0.
    InfoAnswer older =
        environment.answer(
            Setup.of(ApiVersion.V1_20)
                .endpointType(EndpointType.RDM)
                .hints()
                .withMaxGroupId(asked));
    assertThat(older.offers()).isEmpty();
  }

  @Proves({"AV-147", "AV-199"})
  @Test
  void receiveContextBitsMustLeaveRoom(ConformanceEnvironment environment) {
    Domain domain = domain(setup(), MOST, environment);
    int most = domain.info().domain().maxGroupId();
    for (int bits = 0; bits <= Handles.MAX_RECEIVE_CONTEXT_BITS; bits++) {
      VectorOptions options = VectorOptions.table().withReceiveContextBits(bits);
      if (most < (1L << (32 - bits)) - 1) {
        AddressVector vector = environment.vector(domain, options);
        vector.insert(a(1));
        Expect.address(vector, Handles.inGroup(0, most), a(1));
        vector.close();
      } else {
        Expect.invalid(() -> domain.openAddressVector(options));
      }
    }
  }
}
