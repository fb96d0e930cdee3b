// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench named}: named and saved vectors. Classes named after openings measure how soon
 * a vector is open. Classes whose names begin with {@code Sharing} measure what it costs that
 * several processes read and write one vector.
 *
 * <p>Other rooms use the benchmark, its options, and its bars, which are goals for its figures.
 * This room uses {@code vector}, {@code process} and {@code figure}. Read {@link
 * org.ofi4j.benchmarks.named.NamedBenchmark} first.
 */
package org.ofi4j.benchmarks.named;
