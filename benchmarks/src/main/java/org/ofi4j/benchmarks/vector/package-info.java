// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench av}: the same work with address vectors on ofi4j, on libfabric and on memory
 * alone, by turns.
 *
 * <p>A subject does the work: with ofi4j, with libfabric, or with memory alone. A contender is the
 * process that runs one subject.
 *
 * <p>Other rooms use the benchmark, and what other benchmarks fill vectors with. This room uses
 * {@code figure} and {@code process}. Read {@link org.ofi4j.benchmarks.vector.AvBenchmark} first,
 * then {@link org.ofi4j.benchmarks.vector.Subject}.
 */
package org.ofi4j.benchmarks.vector;
