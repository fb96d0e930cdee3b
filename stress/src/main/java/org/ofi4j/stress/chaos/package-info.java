// SPDX-License-Identifier: Apache-2.0
/**
 * Processes that share a vector and are killed at random; what they confirmed is held against what
 * is there.
 *
 * <p>Uses {@code figure} and {@code process} of the benchmarks. Read {@link
 * org.ofi4j.stress.chaos.Chaos} first.
 */
package org.ofi4j.stress.chaos;
