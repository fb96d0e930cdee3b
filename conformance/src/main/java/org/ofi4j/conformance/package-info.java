// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite: runs the tests of all 226 rules against a provider and tells which rules
 * hold.
 *
 * <p>Other rooms use the suite, its options and its report. This room uses {@code rules}, which are
 * written with {@code harness} and {@code model}. Read {@link
 * org.ofi4j.conformance.ConformanceSuite} first, then {@link org.ofi4j.conformance.Requirement},
 * which is one rule.
 */
package org.ofi4j.conformance;
