// SPDX-License-Identifier: Apache-2.0
package org.example.loopback.conformance;

import java.util.Set;
import org.example.loopback.LoopbackProvider;
import org.ofi4j.conformance.ConformanceListener;
import org.ofi4j.conformance.ConformanceOptions;
import org.ofi4j.conformance.ConformanceReport;
import org.ofi4j.conformance.ConformanceSuite;
import org.ofi4j.conformance.RuleResult;
import org.ofi4j.conformance.Verdict;

/**
 * Runs the conformance suite on the provider, and fails if a rule does. Arguments are the rules to
 * run, such as {@code AV-083}; all of them without arguments.
 */
public final class ConformanceMain {
  private ConformanceMain() {}

  /**
   * Runs the suite.
   *
   * @param rules the rules to run; none for all
   */
  public static void main(String[] rules) {
    ConformanceReport report =
        ConformanceSuite.run(
            ConformanceOptions.defaults()
                .withProvider(LoopbackProvider.NAME)
                .withIds(Set.of(rules))
                .withRandomTests(false),
            ConformanceListener.NONE);
    for (RuleResult failed : report.with(Verdict.FAILED)) {
      System.out.println(failed.rule().id() + " failed: " + failed.rule().title());
      failed.failures().forEach(each -> System.out.println("  " + each.test() + each.message()));
    }
    System.out.println(report.counts() + " in " + report.elapsed().toSeconds() + " s");
    if (!report.isSuccess()) {
      System.exit(1);
    }
  }
}
