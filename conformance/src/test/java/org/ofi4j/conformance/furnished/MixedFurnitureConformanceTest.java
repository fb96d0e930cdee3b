// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** All sections in which it could matter how a vector keeps its entries, with all ways at once. */
class MixedFurnitureConformanceTest {
  private static final Set<String> SECTIONS =
      Set.of("INS", "SVC", "SYM", "REM", "LKP", "RXA", "UID", "UI", "NOTE", "RET", "ASY", "EXT");

  @Test
  void rulesHold() {
    FurnishedRules.assertHold(SECTIONS, Furniture.MIXED);
  }
}
