// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All small progressions, compared with one that is written down address by address. */
class ProgressionTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everySmallProgression(boolean portsFirst) {
    for (int inner : new int[] {1, 2, 3, 5, Progression.ONE_ROW}) {
      for (int nodeStep = -3; nodeStep <= 3; nodeStep++) {
        for (int portStep = -3; portStep <= 3; portStep++) {
          compare(nodeStep, portStep, inner, portsFirst);
        }
      }
    }
  }

  private static void compare(int nodeStep, int portStep, int inner, boolean portsFirst) {
    String what = nodeStep + " " + portStep + " " + inner + " " + portsFirst;
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < 12; i++) {
      int row = i / inner;
      int column = i % inner;
      long node = (long) (portsFirst ? row : column) * nodeStep;
      int port = (portsFirst ? column : row) * portStep;
      assertThat(Progression.nodeDelta(i, nodeStep, inner, portsFirst)).as(what).isEqualTo(node);
      assertThat(Progression.portDelta(i, portStep, inner, portsFirst)).as(what).isEqualTo(port);
      places.putIfAbsent(node << 32 | (port & 0xFFFF_FFFFL), i);
    }
    int columns = portsFirst ? portStep : nodeStep;
    int rows = portsFirst ? nodeStep : portStep;
    if ((columns == 0 && inner > 1) || (rows == 0 && inner < 12)) {
      return; // not one address for each position
    }
    for (long node = -40; node <= 40; node++) {
      for (int port = -40; port <= 40; port++) {
        Integer expected = places.get(node << 32 | (port & 0xFFFF_FFFFL));
        long found = Progression.position(node, nodeStep, port, portStep, inner, portsFirst);
        if (expected != null) {
          assertThat(found).as(what + " at " + node + " " + port).isEqualTo((int) expected);
        } else if (found >= 0) {
          assertThat(found).as(what + " at " + node + " " + port).isGreaterThanOrEqualTo(12);
        }
      }
    }
  }

  @Test
  void distancesThatWrapAroundAreNoSteps() {
    assertThat(Progression.position(Long.MIN_VALUE, -1, 0, 0, Progression.ONE_ROW, false))
        .isNegative();
    assertThat(Progression.position(Long.MIN_VALUE, 1, 0, 0, Progression.ONE_ROW, false))
        .isNegative();
    assertThat(Progression.position(Long.MAX_VALUE, 1, 0, 0, Progression.ONE_ROW, false))
        .isNegative();
    assertThat(Progression.position(Long.MAX_VALUE, 1, 2, 1, 4, true)).isNegative();
    assertThat(Progression.position(1L << 31, 1, 0, 1, 4, true)).isNegative();
  }
}
