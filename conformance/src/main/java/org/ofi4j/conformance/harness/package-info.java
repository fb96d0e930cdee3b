// SPDX-License-Identifier: Apache-2.0
/**
 * What the tests in {@code rules} are written with: vectors, peers, JVMs that play other processes,
 * and checks of results.
 *
 * <p>Other rooms use most of its classes. This room uses neither {@code rules} nor the suite. Read
 * {@link org.ofi4j.conformance.harness.Setup} first, then {@link
 * org.ofi4j.conformance.harness.Expect}.
 */
package org.ofi4j.conformance.harness;
