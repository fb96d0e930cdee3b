// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench}: has the benchmarks run and shows their figures as tables, bars and JSON.
 *
 * <p>Uses {@code output} and {@code peers}, and the module of the benchmarks where it is there.
 * Read {@link org.ofi4j.cli.bench.BenchCommand} first.
 */
package org.ofi4j.cli.bench;
