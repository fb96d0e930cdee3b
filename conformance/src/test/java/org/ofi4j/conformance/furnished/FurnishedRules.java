// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.furnished;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
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

/** The rules of some sections once more, over vectors that hold {@link Furniture} already. */
final class FurnishedRules {
  private FurnishedRules() {}

  static void assertHold(Set<String> sections, Furniture furniture) {
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
                .withProviders(
                    List.of(new ForwardingProvider(Fabrics.providers().getFirst(), furnishing)))
                .withGroups(sections)
                .withRandomTests(false),
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
