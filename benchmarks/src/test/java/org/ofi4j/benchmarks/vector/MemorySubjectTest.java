// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.process.TimeSource;

/** The subject checks the outcome of its own loops; here that they are the right ones. */
class MemorySubjectTest {
  private static final int PEERS = 30_000;

  private final MemorySubject subject = new MemorySubject(TimeSource.CPU);

  @Test
  void doesTheWorkOfAVector() {
    try (Arena arena = Arena.ofShared();
        subject) {
      subject.load(Workload.withOthers(arena, AddressPattern.SCATTERED, Family.IPV4, PEERS));
      for (boolean hint : new boolean[] {true, false}) {
        assertThat(subject.insert(hint)).isPositive();
        assertThat(subject.isOpen()).isTrue();
        assertThat(subject.lookup()).isPositive();
        assertThat(subject.find()).isPositive();
        assertThat(subject.findInTurn()).isPositive();
        assertThat(hint ? subject.removeInOrder() : subject.removeRandomly()).isPositive();
      }
      subject.insertSingly();
      subject.churn(PEERS);
      assertThatThrownBy(subject::lookup)
          .as("slots have other addresses after an exchange")
          .hasMessageContaining("sum of all slots");
      subject.churn(PEERS);
      subject.lookup();
      assertThat(subject.insertSymmetric("10.0.0.0", 100, 5000, 20)).isPositive();
    }
  }

  @Test
  void consecutiveAddressesTakeNoSlots() {
    try (Arena arena = Arena.ofShared();
        subject) {
      subject.load(Workload.of(arena, AddressPattern.CONSECUTIVE, Family.IPV4, PEERS));
      assertThat(subject.insert(false)).isPositive();
      assertThat(subject.isOpen()).isFalse();
      assertThatThrownBy(subject::lookup).hasMessageContaining("takes slots");
    }
  }

  /** docs/internals/engine.md: while a table grows without a hint each cell moves three times. */
  @Test
  void cellsMoveThreeTimes() {
    assertThat(ScatteredLayout.moves(1_000_000)).isSorted().last().isEqualTo(840_896);
    double moved = ScatteredLayout.moves(1_000_000).stream().mapToInt(size -> size).sum();
    assertThat(moved / 1_000_000).isBetween(2.8, 3.0);
    assertThat(ScatteredLayout.moves(1000)).isEmpty();
  }
}
