// SPDX-License-Identifier: Apache-2.0
/**
 * Address vectors: the same work on ofi4j, on libfabric and on memory alone, by turns.
 *
 * <p>Uses {@code figure}, {@code process} and {@code schedule}. Read {@link
 * org.ofi4j.benchmarks.vector.AvBenchmark} first, then {@link org.ofi4j.benchmarks.vector.Subject}.
 */
package org.ofi4j.benchmarks.vector;
