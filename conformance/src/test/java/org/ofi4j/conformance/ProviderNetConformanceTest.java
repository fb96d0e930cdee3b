// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs the whole suite against the built-in provider, once; each rule is a test of its own. */
class ProviderNetConformanceTest {
  private static final Duration LIMIT = Duration.ofSeconds(45);
  private static final Duration CROWDED_LIMIT = Duration.ofSeconds(110);

  @TestFactory
  Stream<DynamicTest> allRulesHold() {
    Duration before = processorTime();
    ConformanceReport report =
        ConformanceSuite.run(ConformanceOptions.defaults(), ConformanceListener.NONE);
    Duration taken = processorTime().minus(before);
    System.out.println(
        "conformance of the built-in provider: "
            + report.counts()
            + ", "
            + report.tests()
            + " tests in "
            + report.elapsed().toMillis()
            + " ms, "
            + taken.toMillis()
            + " ms of processor time");
    return Stream.concat(
        report.results().stream()
            .map(result ->
                DynamicTest.dynamicTest(
                    result.rule().id() + " " + result.rule().title(), () -> judge(result))),
        Stream.of(
            DynamicTest.dynamicTest(
                "the whole run ends in time",
                () -> assertThat(taken).isLessThan(isCrowded() ? CROWDED_LIMIT : LIMIT))));
  }

  /**
   * Whether more threads wanted a processor during the last minute than there are, besides those of
   * the suite: then caches and cores are shared, and the same work takes more of their time.
   */
  private static boolean isCrowded() {
    try {
      String load = Files.readString(Path.of("/proc/loadavg"));
      double lastMinute = Double.parseDouble(load.substring(0, load.indexOf(' ')));
      return lastMinute > Runtime.getRuntime().availableProcessors() + 1;
    } catch (IOException otherSystem) {
      return false;
    }
  }

  /** Unlike elapsed time, it hardly depends on who else uses the machine. */
  private static Duration processorTime() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Everything that the rules so far need is there, so that nothing may be "not offered". */
  private static void judge(RuleResult result) {
    assertThat(result.failures())
        .as(
            result.failures().stream()
                .map(failure -> failure.test() + ": " + failure.message())
                .collect(Collectors.joining("\n")))
        .isEmpty();
    assertThat(result.verdict()).isNotIn(Verdict.FAILED, Verdict.NOT_OFFERED, Verdict.NOT_RUN);
    if (result.rule().needsTest()) {
      assertThat(result.passed()).as("tests that passed").isPositive();
    }
  }
}
