// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench av}: the same work with address vectors on ofi4j, on libfabric and on memory
 * alone, by turns.
 *
 * <p>A subject is one side of the comparison; a contender runs it in a process of its own. Other
 * classes measure one matter each: rounds, growth, a reader beside a writer, memory.
 *
 * <p>Shows the benchmark, and what other benchmarks fill vectors with. Uses {@code figure}, {@code
 * process} and {@code schedule}. Read {@link org.ofi4j.benchmarks.vector.AvBenchmark} first, then
 * {@link org.ofi4j.benchmarks.vector.Subject}.
 */
package org.ofi4j.benchmarks.vector;
