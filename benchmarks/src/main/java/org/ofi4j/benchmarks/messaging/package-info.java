// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j bench pingpong} and {@code costs}: messages between two processes, over endpoints of
 * this library and over what applications use instead.
 *
 * <p>Each {@link org.ofi4j.benchmarks.messaging.Contestant} is a pair of processes. The two sides
 * of an exchange are behind {@link org.ofi4j.benchmarks.messaging.Peer}, those of a server with
 * many clients behind {@link org.ofi4j.benchmarks.messaging.Crowd}.
 *
 * <p>Other rooms use the benchmarks, their options, and the bars. This room uses {@code figure} and
 * {@code process}. Read {@link org.ofi4j.benchmarks.messaging.MessagingBenchmark} first.
 */
package org.ofi4j.benchmarks.messaging;
