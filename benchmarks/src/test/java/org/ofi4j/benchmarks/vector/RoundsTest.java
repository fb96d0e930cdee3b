// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;

class RoundsTest {
  private final List<String> turns = new ArrayList<>();

  @Test
  void everySideHasItsTurnAndMemoryFewer() {
    Rounds rounds =
        new Rounds(List.of(side(Side.OFI4J), side(Side.MEMORY), side(Side.UDP)), figure -> {});
    rounds.run(RoundWork.SCATTERED, 5, 11, Long.MAX_VALUE);
    assertThat(turns).startsWith("OFI4J 0", "MEMORY 0", "UDP 0", "OFI4J 1", "UDP 1").hasSize(24);
    assertThat(turns)
        .filteredOn(turn -> turn.startsWith("MEMORY"))
        .containsExactly("MEMORY 0", "MEMORY 6");
  }

  @Test
  void oneRoundIsDoneHoweverShortTheTime() {
    new Rounds(List.of(side(Side.OFI4J)), figure -> {}).run(RoundWork.SCATTERED, 5, 11, 0);
    assertThat(turns).containsExactly("OFI4J 0");
  }

  private Contender side(Side side) {
    return new Contender() {
      @Override
      public Side side() {
        return side;
      }

      @Override
      public void load(RoundWork work, int peers) {}

      @Override
      public void round(int number, FigureSink figures) {
        turns.add(side + " " + number);
      }

      @Override
      public void close() {}
    };
  }
}
