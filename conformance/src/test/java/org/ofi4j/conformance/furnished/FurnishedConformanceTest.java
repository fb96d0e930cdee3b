// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The sections that are about little else than entries, over each kind of furniture by itself. A
 * build has all kinds at once ({@link MixedFurnitureConformanceTest}); CI has both.
 */
@Tag("long")
class FurnishedConformanceTest {
  private static final Set<String> SECTIONS = Set.of("INS", "SYM", "REM", "LKP");

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MIXED")
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void rulesHoldOver(Furniture furniture) {
    FurnishedRules.assertHold(SECTIONS, furniture);
  }
}
