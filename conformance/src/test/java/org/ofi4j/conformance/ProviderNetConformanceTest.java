// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the suite against the built-in provider, once; each rule is a test of its own. {@code
 * RandomModelTest} plays the random sequences, longer ones than those of the suite.
 */
class ProviderNetConformanceTest {
  @TestFactory
  Stream<DynamicTest> allRulesHold() {
    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults().withRandomTests(false), ConformanceListener.NONE);
    System.out.println(
        "conformance of the built-in provider: "
            + report.counts()
            + ", "
            + report.tests()
            + " tests in "
            + report.elapsed().toMillis()
            + " ms");
    return report.results().stream()
        .map(result ->
            DynamicTest.dynamicTest(
                result.rule().id() + " " + result.rule().title(), () -> judge(result)));
  }

  /** Everything that the rules need is there: what is finished is proven. */
  private static void judge(RuleResult result) {
    assertThat(result.failures())
        .as(
            result.failures().stream()
                .map(failure -> failure.test() + ": " + failure.message())
                .collect(Collectors.joining("\n")))
        .isEmpty();
    Requirement rule = result.rule();
    if (rule.kind() == Requirement.Kind.TEST && rule.isFinished()) {
      assertThat(result.verdict()).as(result.notes()).isEqualTo(Verdict.PROVEN);
    } else if (rule.needsTest()) {
      assertThat(result.passed()).as("tests of the part that is due").isPositive();
    }
  }
}
