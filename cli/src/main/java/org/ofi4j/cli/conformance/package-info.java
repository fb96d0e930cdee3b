// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j conformance}: has the conformance suite run and prints rule by rule what holds.
 *
 * <p>Uses {@code output} and {@code peers}, and the module of the suite where it is there. Read
 * {@link org.ofi4j.cli.conformance.ConformanceCommand} first.
 */
package org.ofi4j.cli.conformance;
