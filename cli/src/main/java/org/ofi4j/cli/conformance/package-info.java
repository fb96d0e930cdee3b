// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j conformance}: runs the conformance suite and prints for each rule whether it holds.
 *
 * <p>Other rooms use the command. This room uses {@code output} and {@code peers}, and the module
 * of the suite if it is on the module path. Read {@link
 * org.ofi4j.cli.conformance.ConformanceCommand} first.
 */
package org.ofi4j.cli.conformance;
