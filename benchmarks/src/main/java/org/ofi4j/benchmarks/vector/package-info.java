// SPDX-License-Identifier: Apache-2.0
/**
 * Address vectors: the same work on ofi4j, on libfabric and on memory alone, by turns.
 *
 * <p>A subject is one side of the comparison, and a contender runs it in a process of its own.
 * Further classes are what is measured (rounds, growth, a reader beside a writer, memory) and the
 * bars.
 *
 * <p>Uses {@code figure}, {@code process} and {@code schedule}. Read {@link
 * org.ofi4j.benchmarks.vector.AvBenchmark} first, then {@link org.ofi4j.benchmarks.vector.Subject}.
 */
package org.ofi4j.benchmarks.vector;
