// SPDX-License-Identifier: Apache-2.0
/**
 * Named and saved vectors: how soon they are open, what sharing costs, what memory it takes.
 *
 * <p>Uses {@code vector} and what that uses. Read {@link org.ofi4j.benchmarks.named.NamedBenchmark}
 * first.
 */
package org.ofi4j.benchmarks.named;
