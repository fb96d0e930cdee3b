// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;

/**
 * Runs the suite over the installed libfabric. No rule fails, and what is not offered has a reason.
 * Skipped where libfabric is not installed, unless {@code -Dofi4j.interop=required}.
 */
class ProviderLibfabricConformanceTest {
  /** Rules most of whose tests need neither IPv4 addresses nor sources. */
  private static final int OVER_SHARED_MEMORY = 130;

  /** Rules most of whose tests need no keys, groups, directed receives and text addresses. */
  private static final int OVER_SOCKETS = 145;

  @Test
  void noRuleFailsOverSharedMemory() {
    noRuleFails("shm", OVER_SHARED_MEMORY);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"net", "tcp;ofi_rxm"})
  void noRuleFailsOverSockets(String provider) {
    noRuleFails(provider, OVER_SOCKETS);
  }

  private static void noRuleFails(String provider, int proven) {
    InfoAnswer answer = Fabrics.info(Hints.latest().withProvider(provider));
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(answer.offers()).as("offers; refused are %s", answer.refusals()).isNotEmpty();
    }
    assumeTrue(!answer.offers().isEmpty(), () -> "libfabric: " + answer.refusals());

    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults().withProvider(provider).withRandomTests(false),
            ConformanceListener.NONE);

    System.out.println(
        "conformance of %s: %s, %s tests in %s ms"
            .formatted(provider, report.counts(), report.tests(), report.elapsed().toMillis()));
    assertThat(failures(report)).as("what failed over " + provider).isEmpty();
    assertThat(
            report.counts().get(Verdict.PROVEN)
                + report.counts().get(Verdict.PROVEN_AS_FAR_AS_OFFERED))
        .as("rules proven over " + provider + ", be it as far as offered")
        .isGreaterThanOrEqualTo(proven);
    assertThat(report.results())
        .filteredOn(result -> result.verdict() == Verdict.NOT_OFFERED)
        .allSatisfy(
            result -> assertThat(result.notes()).as(result.rule().id()).contains("not offered: "));
  }

  private static List<String> failures(ConformanceReport report) {
    return report.results().stream()
        .flatMap(result ->
            result.failures().stream()
                .map(failure ->
                    result.rule().id() + " " + failure.test() + ": " + failure.message()))
        .toList();
  }
}
