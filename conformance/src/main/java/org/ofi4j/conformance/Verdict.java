// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

/** What is known about a rule after a run. */
public enum Verdict {
  /** The rule is finished; each of its tests ran and passed. */
  PROVEN,
  /**
   * The rule is finished; most of its tests ran and passed, and the others could not run, for the
   * provider does not offer what they need.
   */
  PROVEN_AS_FAR_AS_OFFERED,
  /** At least one of its tests failed, whether the rule is finished or not. */
  FAILED,
  /** The rule allows something; the answer is what was made of it. */
  PERMISSION,
  /** The rule is advice; the answer is where it is passed on. */
  DOCUMENTED,
  /** Something that is yet to come finishes the rule; a part may be proven. */
  NOT_YET,
  /** Most tests of the rule could not run, for the provider does not offer what they need. */
  NOT_OFFERED,
  /** The selection had no test of the rule, or one that was not heard of. */
  NOT_RUN
}
