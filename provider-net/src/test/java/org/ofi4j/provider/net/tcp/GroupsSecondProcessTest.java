// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFlag;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.provider.net.Rig;

/** A thousand peer groups over the same two endpoints, in two processes. */
class GroupsSecondProcessTest {
  private static final int GROUPS = 1_000;
  private static final int LARGE = 1_500_000;

  /**
   * Numbers of receives there, and of sends from there; messages to there are numbered by group.
   */
  private static final int RECEIVE = 10_000;

  private static final int BACK = 20_000;

  /** Every kind of group has tagged messages with the same tag, or untagged ones. */
  private static boolean isTagged(int group) {
    return group % 2 == 0;
  }

  private static int size(int group) {
    return group % 100 == 0 ? LARGE : 1 + group;
  }

  private static Hints hints(Progress progress) {
    return Rig.tcp("127.0.0.1", progress)
        .withMoreCapabilities(Capability.DIRECTED_RECEIVE)
        .withMaxGroupId(GROUPS);
  }

  private static List<Integer> shuffled(Random random) {
    List<Integer> groups = new ArrayList<>();
    for (int group = 1; group <= GROUPS; group++) {
      groups.add(group);
    }
    Collections.shuffle(groups, random);
    return groups;
  }

  @ParameterizedTest
  @EnumSource(
      value = Progress.class,
      names = {"MANUAL", "AUTO"})
  @Tag("AV-194")
  @Tag("AV-196")
  @Tag("AV-198")
  @DisplayName("Each message reaches the receive of its group, in a thousand groups at once")
  void aThousandGroups(Progress progress) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("a thousand groups: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    try (JvmPeer peer = JvmPeer.withGroups(progress, GROUPS);
        Rig rig = Rig.reliable(hints(progress))) {
      long toPeer = rig.vector.insert(peer.name());
      long toUs = peer.insert(0, rig.name());
      peer.meanwhile(() -> rig.move(Duration.ZERO));
      MemorySegment[] buffers = new MemorySegment[GROUPS + 1];
      // Some receives are posted before their message comes, the others after it.
      List<Integer> receivedThere = shuffled(random);
      List<Integer> receivedHere = shuffled(random);
      receiveThere(peer, receivedThere.subList(0, GROUPS / 2), toUs);
      receiveHere(rig, receivedHere.subList(0, GROUPS / 2), buffers, toPeer);
      for (int group : shuffled(random)) {
        MemorySegment message = Rig.buffer(size(group));
        Content.fill(message, group);
        long to = Handles.inGroup(toPeer, group);
        if (isTagged(group)) {
          rig.endpoint()
              .sendTagged(
                  new TaggedSendRequest().memory(message).destination(to).tag(7).context(message));
        } else {
          rig.endpoint().send(message, to, message);
        }
      }
      for (int group : shuffled(random)) {
        peer.ask(
            "send 0 %d %d %d%s"
                .formatted(
                    BACK + group,
                    Handles.inGroup(toUs, group),
                    size(group),
                    isTagged(group) ? " tag=7" : ""),
            "posted");
      }
      receiveThere(peer, receivedThere.subList(GROUPS / 2, GROUPS), toUs);
      receiveHere(rig, receivedHere.subList(GROUPS / 2, GROUPS), buffers, toPeer);

      Set<Integer> came = new HashSet<>();
      int sent = 0;
      while (came.size() < GROUPS || sent < GROUPS) {
        Completion next = rig.next();
        assertThat(next).as("-Dofi4j.seed=%d", seed).isInstanceOf(Completion.Success.class);
        Completion.Success success = (Completion.Success) next;
        if ((success.flags() & CompletionFlag.SEND.mask()) != 0) {
          sent++;
          continue;
        }
        int group = (Integer) success.context();
        assertThat(came.add(group)).as("-Dofi4j.seed=%d, group %d", seed, group).isTrue();
        assertThat(success.source()).as("-Dofi4j.seed=%d, group %d", seed, group).isEqualTo(toPeer);
        assertThat(success.length())
            .as("-Dofi4j.seed=%d, group %d", seed, group)
            .isEqualTo(size(group));
        Content.verify(buffers[group], BACK + group);
      }
      for (int group = 1; group <= GROUPS; group++) {
        assertThat(peer.ask("await " + (RECEIVE + group) + " content=" + group, "received "))
            .as("-Dofi4j.seed=%d, group %d", seed, group)
            .startsWith(size(group) + " ")
            .endsWith(" " + toUs);
        peer.ask("await " + (BACK + group), "sent");
      }
      peer.release();
    }
  }

  /** Some name their sender, the others leave it open. */
  private static long source(int group, long handle) {
    return group % 3 == 0 ? Handles.inGroup(handle, group) : Handles.anySourceInGroup(group);
  }

  private static void receiveThere(JvmPeer peer, List<Integer> groups, long toUs) {
    for (int group : groups) {
      peer.ask(
          "receive 0 %d %d from=%d%s"
              .formatted(
                  RECEIVE + group,
                  size(group),
                  source(group, toUs),
                  isTagged(group) ? " tag=7" : ""),
          "posted");
    }
  }

  private static void receiveHere(
      Rig rig, List<Integer> groups, MemorySegment[] buffers, long toPeer) {
    for (int group : groups) {
      buffers[group] = Rig.buffer(size(group));
      long from = source(group, toPeer);
      if (isTagged(group)) {
        rig.endpoint()
            .receiveTagged(
                new TaggedReceiveRequest()
                    .memory(buffers[group])
                    .source(from)
                    .pattern(TagPattern.exactly(7))
                    .context(group));
      } else {
        rig.endpoint()
            .receive(new ReceiveRequest().memory(buffers[group]).source(from).context(group));
      }
    }
  }
}
