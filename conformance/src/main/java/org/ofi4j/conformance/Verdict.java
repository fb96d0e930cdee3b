// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

/** What is known about a rule after a run. */
public enum Verdict {
  /** The rule is finished and each of its tests passed. */
  PROVEN,
  /** At least one of its tests failed, whether the rule is finished or not. */
  FAILED,
  /** The rule allows something; the answer is what was made of it. */
  PERMISSION,
  /** The rule is advice; the answer is where it is passed on. */
  DOCUMENTED,
  /** Something that is yet to come finishes the rule; a part may be proven. */
  NOT_YET,
  /** The provider offers nothing on which the rule could be tested. */
  NOT_OFFERED,
  /** No test of the rule was in the selection. */
  NOT_RUN
}
