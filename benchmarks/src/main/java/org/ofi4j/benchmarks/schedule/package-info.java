// SPDX-License-Identifier: Apache-2.0
/**
 * What is measured when, and who waits meanwhile.
 *
 * <p>Uses {@code figure} and {@code process}. Read {@link org.ofi4j.benchmarks.schedule.Schedule}
 * first.
 */
package org.ofi4j.benchmarks.schedule;
