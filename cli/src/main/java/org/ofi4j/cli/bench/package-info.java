// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench}: runs the benchmarks, and chaos of the stress module, and shows what they
 * report as tables and JSON.
 *
 * <p>Other rooms use the command. This room uses {@code output} and {@code peers}, and the modules
 * benchmarks and stress if they are on the module path. Read {@link
 * org.ofi4j.cli.bench.BenchCommand} first.
 */
package org.ofi4j.cli.bench;
