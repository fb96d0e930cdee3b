// SPDX-License-Identifier: Apache-2.0
/**
 * The other processes of a benchmark: fresh JVMs, which read their orders line by line, and C
 * programs, which are compiled first. They and their directories end with the run.
 *
 * <p>Other rooms use both kinds of processes, and the command line of a JVM. This room uses {@code
 * figure}. Read {@link org.ofi4j.benchmarks.process.FreshJvm} first.
 */
package org.ofi4j.benchmarks.process;
