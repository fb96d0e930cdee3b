// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.QueueStatistics;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/** What vectors of all kinds count. */
class VectorStatisticsTest {
  private static void assertChanges(
      CoreAddressVector vector, int insertions, int failedInsertions, int removals) {
    VectorStatistics statistics = vector.statistics();
    assertThat(statistics.insertions()).as("insertions").isEqualTo(insertions);
    assertThat(statistics.failedInsertions()).as("failed insertions").isEqualTo(failedInsertions);
    assertThat(statistics.removals()).as("removals").isEqualTo(removals);
  }

  @Test
  @DisplayName("Every form of insertion counts what was inserted and what was not")
  void insertions() {
    try (CoreAddressVector vector = VectorFixture.table()) {
      assertChanges(vector, 0, 0, 0);
      vector.insert(a(1));
      assertChanges(vector, 1, 0, 0);
      fails(Errno.EADDRNOTAVAIL, () -> vector.insert(BAD));
      assertChanges(vector, 1, 1, 0);
      vector.insert(List.of(a(2), BAD, a(3)));
      assertChanges(vector, 3, 2, 0);
      vector.insert(packed(a(4), BAD, a(6), a(7)), 4, null, null, 0, null);
      assertChanges(vector, 6, 3, 0);
      vector.insertService("10.2.2.2", "80");
      assertChanges(vector, 7, 3, 0);
      // The last node has no address.
      vector.insertSymmetric("255.255.255.254", 3, "80", 2);
      assertChanges(vector, 11, 5, 0);
      assertThat(vector.statistics().entries()).isEqualTo(11).isEqualTo(vector.size());
    }
  }

  @Test
  @DisplayName("A call that is wrong as a whole counts nothing")
  void refusedCalls() {
    try (CoreAddressVector vector = VectorFixture.table()) {
      fails(Errno.EINVAL, () -> vector.insert(packed(a(1)), 2, null, null, 0, null));
      fails(Errno.EINVAL, () -> vector.remove(longs(0), 2, 0));
      assertChanges(vector, 0, 0, 0);
    }
  }

  @Test
  @DisplayName("Shares of an entry are inserted and removed one by one; wrong handles do not count")
  void sharesAndRemovals() {
    try (CoreAddressVector vector = VectorFixture.table()) {
      for (int i = 0; i < 3; i++) {
        vector.insert(a(1));
      }
      vector.insert(a(2));
      assertChanges(vector, 4, 0, 0);
      assertThat(vector.statistics().entries()).isEqualTo(2);
      fails(Errno.EINVAL, () -> vector.remove(longs(0, 5, 0, Handles.NOT_AVAILABLE, 1), 5, 0));
      assertChanges(vector, 4, 0, 3);
      assertThat(vector.statistics().entries()).isEqualTo(1);
      assertThat(vector.statistics().highWaterMark()).isEqualTo(2);
      vector.remove(0);
      assertChanges(vector, 4, 0, 4);
      assertThat(vector.statistics().entries()).isZero();
    }
  }

  @Test
  @DisplayName("A named vector holds the same for all, and counts the changes of each opening")
  void named() {
    VectorOptions options = VectorOptions.table().withName("statistics " + UUID.randomUUID());
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    try (CoreAddressVector one = VectorFixture.open(info, options)) {
      one.insert(List.of(a(1), a(2), a(3)));
      try (CoreAddressVector other = VectorFixture.open(info, options);
          CoreAddressVector reader = VectorFixture.open(info, options.withFlags(VectorFlag.READ))) {
        other.insert(a(4));
        other.remove(0);
        fails(Errno.EACCES, () -> reader.insert(a(5)));
        assertChanges(one, 3, 0, 0);
        assertChanges(other, 1, 0, 1);
        assertChanges(reader, 0, 0, 0);
        for (CoreAddressVector each : List.of(one, other, reader)) {
          VectorStatistics statistics = each.statistics();
          assertThat(statistics.entries()).isEqualTo(3);
          assertThat(statistics.highWaterMark()).isEqualTo(4);
          assertThat(statistics.capacity()).isGreaterThanOrEqualTo(3);
          assertThat(statistics.memory()).isEqualTo(one.statistics().memory());
          assertThat(statistics.memory().live()).isPositive();
        }
      }
    }
  }

  @Test
  @DisplayName("What a saved vector begins with is held, and nobody has inserted it")
  void saved(@TempDir Path directory) {
    Path file = directory.resolve("peers.av");
    try (CoreAddressVector vector = VectorFixture.table()) {
      vector.insert(List.of(a(1), a(2), a(3)));
      vector.save(file);
    }
    VectorOptions saved = VectorOptions.table().withSaved(file);
    TestInfo info = TestInfo.defaults();
    try (CoreAddressVector reader = VectorFixture.open(info, saved.withFlags(VectorFlag.READ));
        CoreAddressVector copy = VectorFixture.open(info, saved)) {
      fails(Errno.EACCES, () -> reader.remove(0));
      copy.remove(0);
      assertChanges(reader, 0, 0, 0);
      assertChanges(copy, 0, 0, 1);
      assertThat(reader.statistics().entries()).isEqualTo(3);
      assertThat(copy.statistics().entries()).isEqualTo(2);
      assertThat(reader.statistics().memory().held()).isPositive();
    }
  }

  @Test
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  @DisplayName("An asynchronous insertion is counted when its completion can be read")
  void asynchronous() throws Exception {
    TestFabric fabric = new TestFabric();
    EventQueue queue = fabric.openEventQueue(EventQueueOptions.defaults().withSize(1));
    try (CoreAddressVector vector =
        new TestDomain(fabric, TestInfo.defaults().build())
            .openAddressVector(VectorOptions.table().withFlags(VectorFlag.EVENT))) {
      HistoricVector.of(vector).bind(queue, 0);
      vector.insert(List.of(a(1), BAD, BAD, a(2)));
      await().forever().until(() -> queue.statistics().waiting() == 2);
      assertChanges(vector, 2, 2, 0);
      assertThat(vector.statistics().entries()).isEqualTo(2);
      // Of two failures one found room, and the completion comes in any case.
      assertThat(queue.statistics())
          .isEqualTo(QueueStatistics.builder().size(1).waiting(2).reported(2).lost(1).build());
      assertThat(queue.readError()).isNotNull();
      fails(Errno.EOVERRUN, queue::read);
      assertThat(queue.read(TestDomain.PATIENCE)).isInstanceOf(Event.InsertionComplete.class);
      assertThat(queue.statistics())
          .isEqualTo(QueueStatistics.builder().size(1).reported(2).lost(1).build());
    }
    queue.close();
  }

  @Test
  @DisplayName("Statistics wait for nobody, not even for who changes the vector")
  void besideTheLock() throws Exception {
    try (CoreAddressVector vector = VectorFixture.table()) {
      vector.insert(a(1));
      try (Held _ = vector.lock()) {
        VectorStatistics statistics = CompletableFuture.supplyAsync(vector::statistics).get();
        assertThat(statistics.entries()).isEqualTo(1);
        assertThat(statistics.insertions()).isEqualTo(1);
      }
    }
  }

  @Test
  @DisplayName("Beside a writer the numbers never contradict each other, and totals only grow")
  void besideAWriter() throws Exception {
    try (CoreAddressVector vector = VectorFixture.table()) {
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(() -> {
            for (int round = 0; round < 300; round++) {
              Insertion inserted = vector.insertSymmetric("10.3.0.1", 50, "5000", 1 + round % 3);
              vector.insert(a(round));
              vector.remove(inserted.handles());
            }
          });
      long insertions = 0;
      long removals = 0;
      boolean last;
      do {
        last = writing.isDone();
        VectorStatistics statistics = vector.statistics();
        assertThat(statistics.capacity()).isGreaterThanOrEqualTo(statistics.entries());
        assertThat(statistics.highWaterMark()).isGreaterThanOrEqualTo(statistics.entries());
        assertThat(statistics.memory().live()).isNotNegative();
        assertThat(statistics.insertions()).isGreaterThanOrEqualTo(insertions);
        assertThat(statistics.removals()).isGreaterThanOrEqualTo(removals);
        insertions = statistics.insertions();
        removals = statistics.removals();
      } while (!last);
      writing.get();
      assertThat(insertions - removals).isEqualTo(300).isEqualTo(vector.size());
    }
  }
}
