// SPDX-License-Identifier: Apache-2.0
/**
 * Messages over tcp: round trips and streams between two processes, beside libfabric.
 *
 * <p>Uses {@code figure} and {@code process}. Read {@link
 * org.ofi4j.benchmarks.messaging.PingpongBenchmark} first.
 */
package org.ofi4j.benchmarks.messaging;
