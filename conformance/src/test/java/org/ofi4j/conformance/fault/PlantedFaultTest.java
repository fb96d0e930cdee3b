// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
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
import org.ofi4j.conformance.RuleResult;
import org.ofi4j.conformance.Verdict;
import org.ofi4j.conformance.standin.ForwardingProvider;
import org.ofi4j.conformance.standin.Wrapping;
import org.ofi4j.spi.FabricProvider;

/**
 * The suite is tested, too: a provider with one mistake has to fail rules of the section that the
 * mistake belongs to, and the same wrapping without a mistake has to pass.
 */
class PlantedFaultTest {
  /**
   * A section of pure static functions of the API, which a provider cannot get wrong; unit tests of
   * the API hold them.
   */
  private static final Set<String> WITHOUT_PROVIDER = Set.of("RXA");

  /** Short, because a test that fails by waiting in vain is what is wanted here. */
  private static final Duration PATIENCE = Duration.ofMillis(400);

  private static final List<String> TABLE = new ArrayList<>();

  static List<PlantedFault> faults() {
    return PlantedFault.all();
  }

  private static FabricProvider healthy() {
    return Fabrics.providers().getFirst();
  }

  private static ConformanceReport run(FabricProvider provider, ConformanceOptions options) {
    return ConformanceSuite.run(options.providers(List.of(provider)), ConformanceListener.NONE);
  }

  @Test
  void healthyWrappingPasses() {
    ConformanceReport report =
        run(
            new ForwardingProvider(healthy(), new Wrapping()),
            ConformanceOptions.defaults().randomTests(false));

    assertThat(report.with(Verdict.FAILED)).isEmpty();
    assertThat(report.with(Verdict.NOT_OFFERED)).isEmpty();
    assertThat(report.isSuccess()).isTrue();
  }

  @Test
  void healthyHoardingPasses() {
    ConformanceReport report =
        run(
            new ForwardingProvider(healthy(), QueueFaults.hoardingInOrder()),
            ConformanceOptions.defaults()
                .groups(Set.of("ASY", "CLS", "BND", "OBJ"))
                .randomTests(false));

    assertThat(report.with(Verdict.FAILED)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("faults")
  void faultIsCaught(PlantedFault fault) {
    ConformanceOptions options =
        ConformanceOptions.defaults().patience(PATIENCE).randomTests(false);
    Set<String> noticing = Set.of(fault.section());
    ConformanceReport report =
        run(
            fault.plantIn(healthy()),
            fault.isOfOneRule() ? options.ids(noticing) : options.groups(noticing));
    List<RuleResult> failed = report.with(Verdict.FAILED);

    TABLE.add(
        "%-6s %-62s %s"
            .formatted(
                fault.section(),
                fault.mistake(),
                failed.stream()
                    .map(result -> result.rule().id())
                    .collect(Collectors.joining(" "))));
    assertThat(failed).as("rules of %s that noticed", fault.section()).isNotEmpty();
  }

  @Test
  void everySectionHasFault() {
    Set<String> sections =
        RequirementCatalog.load().rules().stream()
            .filter(Requirement::needsTest)
            .map(Requirement::group)
            .collect(Collectors.toCollection(TreeSet::new));
    sections.removeAll(WITHOUT_PROVIDER);

    assertThat(faults()).extracting(PlantedFault::section).containsAll(sections);
  }

  @AfterAll
  static void printTable() {
    System.out.println("Planted faults and the rules of their section that caught them:");
    TABLE.forEach(System.out::println);
  }
}
