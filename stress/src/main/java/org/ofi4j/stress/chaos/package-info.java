// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench chaos}: processes share a vector and are killed at random, and a referee
 * compares what they confirmed with what is there.
 *
 * <p>Other rooms use chaos, its options and its report. This room uses {@code figure}, {@code
 * process} and {@code vector} of the benchmarks. Read {@link org.ofi4j.stress.chaos.Chaos} first.
 */
package org.ofi4j.stress.chaos;
