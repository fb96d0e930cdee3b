// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.util.List;

/**
 * What a run found out about one rule.
 *
 * @param rule the rule
 * @param verdict what is known
 * @param passed how many of its tests passed
 * @param failures its tests that failed
 * @param notes what else there is to say: a pointer, or what the provider does not offer
 */
public record RuleResult(
    Requirement rule, Verdict verdict, int passed, List<TestFailure> failures, String notes) {

  /**
   * A test that failed.
   *
   * @param test class, method and variant
   * @param message what was expected and what was seen
   */
  public record TestFailure(String test, String message) {}

  /** Copies the list. */
  public RuleResult {
    failures = List.copyOf(failures);
  }
}
