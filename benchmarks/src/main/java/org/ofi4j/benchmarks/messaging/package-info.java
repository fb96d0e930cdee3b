// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench pingpong}: round trips and streams of messages over tcp between two processes,
 * beside libfabric.
 *
 * <p>Other rooms use the benchmark, its options, and its bars, which are goals for its figures.
 * This room uses {@code figure} and {@code process}. Read {@link
 * org.ofi4j.benchmarks.messaging.MessagingBenchmark} first.
 */
package org.ofi4j.benchmarks.messaging;
