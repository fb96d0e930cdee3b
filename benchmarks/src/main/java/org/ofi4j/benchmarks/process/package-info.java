// SPDX-License-Identifier: Apache-2.0
/**
 * Other processes of a run: fresh JVMs that obey lines, C programs that are compiled for the
 * purpose, and what ends with the run.
 *
 * <p>Uses {@code figure}. Read {@link org.ofi4j.benchmarks.process.FreshJvm} first.
 */
package org.ofi4j.benchmarks.process;
