// SPDX-License-Identifier: Apache-2.0
/**
 * Figures of all benchmarks: what was measured ({@link org.ofi4j.benchmarks.figure.Quantity}), on
 * which side, in how many rounds; and the bars, which are goals that figures must meet.
 *
 * <p>Other rooms use all its classes. This room uses no other room. Read {@link
 * org.ofi4j.benchmarks.figure.Row} first.
 */
package org.ofi4j.benchmarks.figure;
