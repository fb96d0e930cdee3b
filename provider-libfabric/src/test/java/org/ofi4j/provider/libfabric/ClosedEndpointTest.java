// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed endpoints and peers that are gone harm neither the JVM nor other endpoints. */
class ClosedEndpointTest {
  @BeforeAll
  static void needShm() {
    CCompiler.needProvider("shm");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "late",
        "lateLarge",
        "pending",
        "reopened",
        "deleted",
        "sameName",
        "replied",
        "reused",
        "reusedUnread",
        "copying",
        "crowded",
        "answered",
        "unfinished",
        "locked"
      })
  @DisplayName("Closing one of several endpoints of a process harms no other one")
  void closedEndpointsHarmNoOther(String way) throws Exception {
    survives(way, "shm");
  }

  @Test
  void thousandClosedEndpointsLeaveNothingInSharedMemory() throws Exception {
    survives("many", "shm", "1000");
  }

  private static void survives(String... arguments) throws Exception {
    try (ChildJvm jvm = start(arguments)) {
      String said = jvm.line();
      assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isZero();
      assertThat(said).isEqualTo("survived");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"killed", "closed"})
  @DisplayName("A peer that is gone gives back the operations that were posted to it")
  void peersThatAreGoneTakeNoSlots(String way) throws Exception {
    try (ChildJvm peer = start("peer", "shm");
        ChildJvm sender = start(way, "shm", peer.demandedLine())) {
      assertThat(peer.demandedLine()).isEqualTo("received");
      assertThat(sender.demandedLine()).isEqualTo("full");
      if (way.equals("killed")) {
        // Or it may hold a lock in shared memory, which its own endpoint waits for.
        peer.stop();
        peer.kill();
      } else {
        peer.say("close");
        assertThat(peer.demandedLine()).isEqualTo("closed");
      }
      sender.say("go on");
      String said = sender.line();
      assertThat(sender.exitStatus()).as("%s", sender.errors()).isZero();
      assertThat(said).isEqualTo("survived");
    }
  }

  @Test
  void requestOfClosedEndpointIsReadSafelyAfterItsOperations() throws Exception {
    try (ChildJvm closing = start("crossing", "shm");
        ChildJvm peer = start("crossing", "shm")) {
      String address = closing.demandedLine();
      closing.say(peer.demandedLine());
      assertThat(closing.demandedLine()).isEqualTo("asked");
      peer.say(address);
      assertThat(peer.demandedLine()).isEqualTo("asked");
      closing.say("read");
      assertThat(closing.demandedLine()).isEqualTo("sent");
      assertThat(closing.demandedLine()).isEqualTo("closed");
      peer.say("read");
      assertThat(peer.demandedLine()).isEqualTo("sent");
      for (ChildJvm each : List.of(peer, closing)) {
        each.say("end");
        assertThat(each.exitStatus()).as("%s", each.errors()).isZero();
      }
    }
  }

  @Test
  void memoryOfClosedEndpointIsUsedAgainWhileOneOfItsPeersReadsNothing() throws Exception {
    try (ChildJvm silent = start("silent", "shm");
        ChildJvm sender = start("reusedBeside", "shm", silent.demandedLine())) {
      assertThat(sender.line()).as("%s", sender.errors()).isEqualTo("survived");
      assertThat(sender.exitStatus()).isZero();
      silent.say("read");
      assertThat(silent.line()).as("%s", silent.errors()).isEqualTo("survived");
      assertThat(silent.exitStatus()).isZero();
    }
  }

  @Test
  void requestOfProcessThatHasExitedIsReadSafely() throws Exception {
    try (ChildJvm silent = start("silent", "shm");
        ChildJvm exits = start("exits", "shm", silent.demandedLine())) {
      assertThat(exits.exitStatus()).as("%s", exits.errors()).isZero();
      silent.say("read");
      assertThat(silent.line()).as("%s", silent.errors()).isEqualTo("survived");
      assertThat(silent.exitStatus()).isZero();
    }
  }

  @Test
  void messageOfRemovedPeerIsReadAndAnswered() throws Exception {
    try (ChildJvm removing = start("removing", "shm");
        ChildJvm removed = start("removed", "shm", removing.demandedLine())) {
      removing.say(removed.demandedLine());
      for (ChildJvm each : List.of(removing, removed)) {
        String said = each.line();
        assertThat(each.exitStatus()).as("%s", each.errors()).isZero();
        assertThat(said).isEqualTo("survived");
      }
    }
  }

  @Test
  void peerThatIsBeingClosedSharesItsPlaceWithNoOther() throws Exception {
    try (ChildJvm closing = start("ended", "shm");
        ChildJvm sender = start("beside", "shm", closing.demandedLine())) {
      String said = sender.line();
      assertThat(sender.exitStatus()).as("%s", sender.errors()).isZero();
      assertThat(said).isEqualTo("survived");
      closing.say("end");
      assertThat(closing.exitStatus()).as("%s", closing.errors()).isZero();
    }
  }

  private static ChildJvm start(String... arguments) throws Exception {
    return ChildJvm.start(ClosedEndpointProgram.class, List.of(ChildJvm.NATIVE), arguments);
  }
}
