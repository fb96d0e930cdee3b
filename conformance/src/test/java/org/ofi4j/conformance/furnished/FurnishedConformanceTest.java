// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Fabrics;
import org.ofi4j.conformance.ConformanceListener;
import org.ofi4j.conformance.ConformanceOptions;
import org.ofi4j.conformance.ConformanceReport;
import org.ofi4j.conformance.ConformanceSuite;
import org.ofi4j.conformance.Verdict;
import org.ofi4j.conformance.standin.ForwardingProvider;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;

/**
 * The rules about entries once more, over vectors that hold something already: ranges, lists,
 * scattered entries, holes, duplicates.
 */
class FurnishedConformanceTest {
  /** Sections that are about little else than entries. */
  private static final Set<String> ENTRIES = Set.of("INS", "SYM", "REM", "LKP");

  /** Sections in which it could matter how a vector keeps its entries: with all ways at once. */
  private static final Set<String> SECTIONS =
      Set.of("INS", "SVC", "SYM", "REM", "LKP", "RXA", "UID", "UI", "NOTE", "RET", "ASY", "EXT");

  @ParameterizedTest
  @EnumSource
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void rulesHoldOver(Furniture furniture) {
    ConcurrentLinkedQueue<FurnishedVector> vectors = new ConcurrentLinkedQueue<>();
    Wrapping furnishing =
        new Wrapping() {
          @Override
          public AddressVector vector(AddressVector real, StandIns standIns) {
            FurnishedVector vector = new FurnishedVector(real, standIns, furniture);
            vectors.add(vector);
            return vector;
          }
        };

    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults()
                .providers(
                    List.of(new ForwardingProvider(Fabrics.providers().getFirst(), furnishing)))
                .groups(furniture == Furniture.MIXED ? SECTIONS : ENTRIES)
                .randomTests(false),
            ConformanceListener.NONE);

    System.out.println(
        furniture
            + ": "
            + report.counts()
            + ", "
            + report.tests()
            + " tests in "
            + report.elapsed().toMillis()
            + " ms, furnished "
            + vectors.stream().filter(FurnishedVector::wasFurnished).count()
            + " of "
            + vectors.size()
            + " vectors");
    assertThat(report.with(Verdict.FAILED))
        .as(
            report.with(Verdict.FAILED).stream()
                .flatMap(result -> result.failures().stream())
                .map(failure -> failure.test() + ": " + failure.message())
                .distinct()
                .collect(Collectors.joining("\n")))
        .isEmpty();
    assertThat(report.isSuccess()).isTrue();
    assertThat(vectors.stream().filter(FurnishedVector::wasFurnished).count())
        .as("vectors with furniture")
        .isGreaterThan(vectors.size() / 2);
  }
}
