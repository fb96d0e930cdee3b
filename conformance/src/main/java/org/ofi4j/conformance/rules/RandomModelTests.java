// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.RandomTest;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.model.ModelCheck;
import org.ofi4j.conformance.model.Scenarios;

/**
 * Random sequences of all operations against a plain reference.
 *
 * <p>System properties: {@code ofi4j.seed} repeats a run, {@code ofi4j.steps} is how many
 * operations each sequence has, {@code ofi4j.rangeSteps} the same for sequences about ranges.
 */
@RandomTest
@ConformanceTest
class RandomModelTests {
  /** Short: the suite as a whole is to be a matter of seconds. */
  private static final int STEPS = 100;

  private static final int RANGE_STEPS = 15;

  static List<Setup> setups() {
    return Scenarios.setups();
  }

  static List<Setup> rangeSetups() {
    return Scenarios.rangeSetups();
  }

  @Proves(partly = {"AV-083", "AV-086", "AV-125", "AV-136", "AV-178", "AV-201"})
  @EachSetup
  @Timeout(3600)
  void everySequenceGivesWhatTheReferenceGives(Setup setup, ConformanceEnvironment environment) {
    ModelCheck.playAll(environment.domain(setup), setup, Seeds.pick(), ModelCheck.steps(STEPS));
  }

  @Proves(partly = {"AV-083", "AV-086", "AV-115", "AV-117", "AV-123", "AV-125", "AV-136", "AV-178"})
  @ParameterizedTest
  @MethodSource("rangeSetups")
  @Timeout(3600)
  void largeTablesGiveWhatTheReferenceGives(Setup setup, ConformanceEnvironment environment) {
    ModelCheck.playRanges(
        environment.domain(setup), setup, Seeds.pick(), ModelCheck.rangeSteps(RANGE_STEPS));
  }
}
