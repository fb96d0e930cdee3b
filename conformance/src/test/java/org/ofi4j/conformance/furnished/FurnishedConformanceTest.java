// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.conformance.harness.Seeds;

/**
 * The sections that are about little else than entries, over each kind of furniture by itself. A
 * build has all kinds at once ({@link MixedFurnitureConformanceTest}); CI has both, of these one
 * kind that is drawn. With {@code -Dofi4j.long} it is each.
 */
@Tag("long")
class FurnishedConformanceTest {
  private static final Set<String> SECTIONS = Set.of("INS", "SYM", "REM", "LKP");

  static List<Furniture> kinds() {
    List<Furniture> kinds =
        List.of(Furniture.RANGE, Furniture.GRID, Furniture.LISTS, Furniture.SCATTERED);
    if (System.getProperty("ofi4j.long") != null) {
      return kinds;
    }
    long seed = Seeds.pick();
    Furniture drawn = kinds.get(new SplittableRandom(seed).nextInt(kinds.size()));
    System.out.println(drawn + ": " + Seeds.repeat(seed));
    return List.of(drawn);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rulesHoldOver(Furniture furniture) {
    FurnishedRules.assertHold(SECTIONS, furniture);
  }
}
