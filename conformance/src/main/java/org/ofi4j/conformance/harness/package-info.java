// SPDX-License-Identifier: Apache-2.0
/**
 * What the tests in {@code rules} are written with: vectors, peers, other processes, and checks of
 * results. It uses nothing of {@code rules} or of the suite.
 */
package org.ofi4j.conformance.harness;
