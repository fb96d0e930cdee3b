// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;

/**
 * The random model test at the length of a build, twice as long with {@code -Dofi4j.long}; {@code
 * -Dofi4j.steps=20000} or {@code -Dofi4j.rangeSteps=3000} makes it a matter of many minutes, {@code
 * -Dofi4j.seed} repeats a run.
 */
@Tag("AV-178")
class RandomModelTest {
  private static final int TIMES = System.getProperty("ofi4j.long") == null ? 1 : 2;
  private static final int STEPS = 125 * TIMES;
  private static final int RANGE_STEPS = 15 * TIMES;

  static List<Setup> setups() {
    return Scenarios.setups();
  }

  static List<Setup> rangeSetups() {
    return Scenarios.rangeSetups();
  }

  @ParameterizedTest
  @MethodSource("setups")
  @Timeout(7200)
  void everySequenceGivesWhatTheReferenceGives(Setup setup, TestReporter reporter) {
    long seed = Seeds.pick();
    reporter.publishEntry("seed", Long.toString(seed));
    FabricInfo info = Fabrics.info(setup.hints()).best();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain()) {
      ModelCheck.playAll(domain, setup, seed, ModelCheck.steps(STEPS));
    }
  }

  @ParameterizedTest
  @MethodSource("rangeSetups")
  @Timeout(7200)
  void largeTablesGiveWhatTheReferenceGives(Setup setup, TestReporter reporter) {
    long seed = Seeds.pick();
    reporter.publishEntry("seed", Long.toString(seed));
    FabricInfo info = Fabrics.info(setup.hints()).best();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain()) {
      ModelCheck.playRanges(domain, setup, seed, ModelCheck.rangeSteps(RANGE_STEPS));
    }
  }
}
