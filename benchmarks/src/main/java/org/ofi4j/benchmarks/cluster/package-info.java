// SPDX-License-Identifier: Apache-2.0
/**
 * {@code ofi4j cluster bench}: groups in ZooKeeper, with their members in vectors. The server,
 * those who publish and those who look are JVMs of their own; they run on the class path, because
 * ZooKeeper's jars cannot be modules.
 *
 * <p>Other rooms use the benchmark, its options, and its bars, which are goals for its figures.
 * This room uses {@code vector}, {@code process} and {@code figure}. Read {@link
 * org.ofi4j.benchmarks.cluster.ClusterBenchmark} first, then {@link
 * org.ofi4j.benchmarks.cluster.ClusterJvm}.
 */
package org.ofi4j.benchmarks.cluster;
