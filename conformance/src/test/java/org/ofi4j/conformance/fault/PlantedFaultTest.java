// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Fabrics;
import org.ofi4j.conformance.ConformanceListener;
import org.ofi4j.conformance.ConformanceOptions;
import org.ofi4j.conformance.ConformanceReport;
import org.ofi4j.conformance.ConformanceSuite;
import org.ofi4j.conformance.Requirement;
import org.ofi4j.conformance.RequirementCatalog;
import org.ofi4j.conformance.Verdict;
import org.ofi4j.conformance.standin.ForwardingProvider;
import org.ofi4j.conformance.standin.Wrapping;
import org.ofi4j.spi.FabricProvider;

/**
 * The suite is tested, too: a provider with one mistake has to fail the rule that forbids it, and
 * the same wrapping without a mistake has to pass all these rules.
 */
class PlantedFaultTest {
  /**
   * A section of pure static functions of the API, which a provider cannot get wrong; unit tests of
   * the API hold them.
   */
  private static final Set<String> WITHOUT_PROVIDER = Set.of("RXA");

  /** Short, because a test that fails by waiting in vain is what is wanted here. */
  private static final Duration PATIENCE = Duration.ofMillis(400);

  static List<PlantedFault> faults() {
    return PlantedFault.all();
  }

  private static FabricProvider healthy() {
    return Fabrics.providers().getFirst();
  }

  private static ConformanceReport run(FabricProvider provider, ConformanceOptions options) {
    return ConformanceSuite.run(options.withProviders(List.of(provider)), ConformanceListener.NONE);
  }

  private static Set<String> rules(List<PlantedFault> faults) {
    return faults.stream().map(PlantedFault::rule).collect(Collectors.toSet());
  }

  private static void assertPasses(Wrapping wrapping, Set<String> rules) {
    ConformanceReport report =
        run(
            new ForwardingProvider(healthy(), wrapping),
            ConformanceOptions.defaults().withIds(rules).withRandomTests(false));

    assertThat(report.with(Verdict.FAILED)).isEmpty();
    assertThat(report.with(Verdict.NOT_OFFERED)).isEmpty();
    assertThat(report.isSuccess()).isTrue();
  }

  @Test
  void healthyWrappingPasses() {
    assertPasses(new Wrapping(), rules(faults()));
  }

  @Test
  void healthyHoardingPasses() {
    assertPasses(QueueFaults.hoardingInOrder(), rules(QueueFaults.all()));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void faultIsCaught(PlantedFault fault) {
    ConformanceReport report =
        run(
            fault.plantIn(healthy()),
            ConformanceOptions.defaults()
                .withPatience(PATIENCE)
                .withIds(Set.of(fault.rule()))
                .withRandomTests(false));

    assertThat(report.with(Verdict.FAILED))
        .extracting(result -> result.rule().id())
        .containsExactly(fault.rule());
  }

  @Test
  void everySectionHasFault() {
    RequirementCatalog catalog = RequirementCatalog.load();
    Set<String> sections =
        catalog.rules().stream()
            .filter(Requirement::needsTest)
            .map(Requirement::group)
            .collect(Collectors.toCollection(TreeSet::new));
    sections.removeAll(WITHOUT_PROVIDER);

    assertThat(faults())
        .extracting(fault -> catalog.rule(fault.rule()).group())
        .containsAll(sections);
  }
}
