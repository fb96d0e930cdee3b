// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a run of the suite found out.
 *
 * @param provider the provider that was tested, or {@code any} if none was named
 * @param results one for each rule of the selection
 * @param tests how many tests ran, each variant counted
 * @param elapsed how long they took
 */
public record ConformanceReport(
    String provider, List<RuleResult> results, long tests, Duration elapsed) {

  /** Copies the list. */
  public ConformanceReport {
    results = List.copyOf(results);
  }

  /**
   * How many rules got which verdict.
   *
   * @return a count for every verdict, 0 included
   */
  public Map<Verdict, Long> counts() {
    Map<Verdict, Long> counts = new EnumMap<>(Verdict.class);
    for (Verdict verdict : Verdict.values()) {
      counts.put(verdict, (long) with(verdict).size());
    }
    return counts;
  }

  /**
   * The rules with one verdict.
   *
   * @param verdict the verdict
   * @return their results
   */
  public List<RuleResult> with(Verdict verdict) {
    return results.stream().filter(result -> result.verdict() == verdict).toList();
  }

  /**
   * Whether the provider conforms as far as it was tested.
   *
   * @return true if nothing failed and something was proven, be it as far as offered
   */
  public boolean isSuccess() {
    return with(Verdict.FAILED).isEmpty()
        && !(with(Verdict.PROVEN).isEmpty() && with(Verdict.PROVEN_AS_FAR_AS_OFFERED).isEmpty());
  }
}
