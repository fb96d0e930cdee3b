// SPDX-License-Identifier: Apache-2.0
/**
 * The order in which the stages of a benchmark run. A stage that is timed has the machine to
 * itself; others run two at a time.
 *
 * <p>Other rooms use all its classes. This room uses {@code figure} and {@code process}. Read
 * {@link org.ofi4j.benchmarks.schedule.Schedule} first.
 */
package org.ofi4j.benchmarks.schedule;
