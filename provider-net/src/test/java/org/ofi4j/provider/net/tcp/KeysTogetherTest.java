// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** Authorization keys where there are peer groups or several contexts too. */
class KeysTogetherTest {
  private static final byte[] RED = Rig.key(1);
  private static final byte[] BLUE = Rig.key(2);
  private static final int[] GROUPS = {0, 1, 9};
  private static final int TAG = 7;

  static List<Hints> grouped() {
    return Rig.tcpKinds().stream()
        .map(each -> each.withMoreCapabilities(Capability.DIRECTED_RECEIVE).withMaxGroupId(9))
        .toList();
  }

  /** What a receive asks for, and what a message is. */
  private record Kind(int key, int group, boolean tagged) {}

  private static List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>();
    for (int key = 0; key < 2; key++) {
      for (int group : GROUPS) {
        kinds.add(new Kind(key, group, false));
        kinds.add(new Kind(key, group, true));
      }
    }
    return kinds;
  }

  /** Receives a message of a kind: from a peer, or from anybody under a key. */
  private static void receive(ReliableEndpoint at, Kind kind, long source, boolean byKey) {
    MemorySegment buffer = Rig.buffer(64);
    if (kind.tagged) {
      var request =
          new TaggedReceiveRequest().memory(buffer).pattern(TagPattern.exactly(TAG)).context(kind);
      at.receiveTagged(byKey ? request.sourceUnderKey(source) : request.source(source));
    } else {
      ReceiveRequest request = new ReceiveRequest().memory(buffer).context(kind);
      at.receive(byKey ? request.sourceUnderKey(source) : request.source(source));
    }
  }

  private static void send(ReliableEndpoint from, Kind kind, long to) {
    MemorySegment message = Rig.message("x".repeat(kinds().indexOf(kind) + 1));
    if (kind.tagged) {
      from.injectTagged(new TaggedSendRequest().memory(message).destination(to).tag(TAG));
    } else {
      from.inject(message, to);
    }
  }

  @ParameterizedTest
  @MethodSource("grouped")
  @Tag("AV-165")
  @Tag("AV-198")
  @DisplayName(
      "A receive names key and group: early or not, tagged or not, it takes no other message")
  void keysAndGroups(Hints hints) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Rig server = Rig.holding(hints, RED, BLUE);
        Rig client = Rig.holding(hints, RED, BLUE)) {
      long[] toServer = handles(client, server);
      long[] toClient = handles(server, client);
      for (boolean byKey : new boolean[] {true, false}) {
        for (boolean early : new boolean[] {true, false}) {
          List<Kind> posted = kinds();
          List<Kind> sent = kinds();
          Collections.shuffle(posted, random);
          Collections.shuffle(sent, random);
          Runnable post =
              () -> {
                for (Kind kind : posted) {
                  long source = byKey ? server.authKeys[kind.key] : toClient[kind.key];
                  receive(server.endpoint(), kind, Handles.inGroup(source, kind.group), byKey);
                }
              };
          if (!early) {
            post.run();
          }
          sent.forEach(kind ->
              send(client.endpoint(), kind, Handles.inGroup(toServer[kind.key], kind.group)));
          if (early) {
            // The last one has come, under each of the keys.
            client.move(Duration.ofMillis(20));
            server.move(Duration.ofMillis(20));
            post.run();
          }
          Map<Object, Completion.Success> received = new HashMap<>();
          while (received.size() < posted.size()) {
            Completion next = server.next(client);
            assertThat(next).as("-Dofi4j.seed=%d", seed).isInstanceOf(Completion.Success.class);
            received.put(next.context(), (Completion.Success) next);
          }
          for (Kind kind : posted) {
            Completion.Success of = received.get(kind);
            assertThat(of.length())
                .as("-Dofi4j.seed=%d", seed)
                .isEqualTo(kinds().indexOf(kind) + 1);
            // Without the group, which the receive has named.
            assertThat(of.source()).as("-Dofi4j.seed=%d", seed).isEqualTo(toClient[kind.key]);
          }
        }
      }
      // Any source within a group means any key.
      receive(server.endpoint(), new Kind(0, 9, false), Handles.anySourceInGroup(9), false);
      send(client.endpoint(), new Kind(1, 0, false), toServer[1]);
      send(client.endpoint(), new Kind(1, 9, false), Handles.inGroup(toServer[1], 9));
      assertThat(server.next(client).context()).isEqualTo(new Kind(0, 9, false));
      // A group that is none, in the handle of a key too.
      assertThatThrownBy(() ->
              receive(
                  server.endpoint(),
                  new Kind(0, 0, false),
                  Handles.inGroup(server.authKeys[0], 10),
                  true))
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
    }
  }

  private static long[] handles(Rig of, Rig other) {
    return Arrays.stream(of.authKeys).map(key -> of.insertUnder(key, other.name())).toArray();
  }

  @Test
  @Tag("AV-166")
  @Tag("AV-212")
  @DisplayName(
      "Memory for one key, or one peer, is that through all contexts of a scalable endpoint")
  void regionsOfScalableEndpoints() throws Exception {
    Hints hints =
        Rig.tcp("127.0.0.1", Progress.AUTO)
            .withMoreCapabilities(Capability.DIRECTED_RECEIVE, Capability.RMA);
    try (ScalableSide server = ScalableSide.holding(hints, 2, 2, RED, BLUE);
        ScalableSide client = ScalableSide.holding(hints, 2, 2, RED, BLUE);
        Rig other = Rig.holding(hints, RED)) {
      MemorySegment memory = Rig.buffer(8);
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
      long red = client.insertUnder(client.authKeys[0], server.name());
      long blue = client.insertUnder(client.authKeys[1], server.name());
      long only = server.insertUnder(server.authKeys[0], client.name());
      try (MemoryRegion ofRed =
              server.domain.register(
                  memory,
                  RegisterOptions.of(Access.REMOTE_READ)
                      .withAuthKey(server.vector, server.authKeys[0]));
          MemoryRegion ofClient =
              server.domain.register(
                  memory, RegisterOptions.of(Access.REMOTE_READ).withPeer(server.vector, only))) {
        for (int context = 0; context < 2; context++) {
          for (MemoryRegion region : List.of(ofRed, ofClient)) {
            assertThat(read(client, context, red, region)).isInstanceOf(Completion.Success.class);
            assertThat(read(client, context, blue, region)).isInstanceOf(Completion.Failure.class);
          }
        }
        long ofOther = other.insertUnder(other.authKeys[0], server.name());
        MemorySegment into = Rig.buffer(8);
        other.endpoint().read(into, ofOther, ofRed.place(), "read");
        assertThat(other.next()).isInstanceOf(Completion.Success.class);
        assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(42);
        other.endpoint().read(into, ofOther, ofClient.place(), "read");
        assertThat(other.next()).isInstanceOf(Completion.Failure.class);
      }
    }
  }

  private static Completion read(ScalableSide by, int context, long from, MemoryRegion region)
      throws InterruptedException {
    MemorySegment into = Rig.buffer(8);
    ScalableSide.Transmit its = by.transmits.get(context);
    its.endpoint.read(into, from, region.place(), "read");
    Completion ended = its.next();
    long expected = ended instanceof Completion.Success ? 42 : 0;
    assertThat(into.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(expected);
    return ended;
  }
}
