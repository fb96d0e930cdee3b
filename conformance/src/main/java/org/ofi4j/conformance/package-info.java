// SPDX-License-Identifier: Apache-2.0
/**
 * The conformance suite: runs the tests of all rules against a provider and tells what holds.
 *
 * <p>Arrows go one way: this package runs the tests in {@code rules}, which are written with {@code
 * harness} and {@code model}. {@link org.ofi4j.conformance.Requirement} is one of the 226 rules.
 */
package org.ofi4j.conformance;
