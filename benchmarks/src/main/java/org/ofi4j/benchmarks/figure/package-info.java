// SPDX-License-Identifier: Apache-2.0
/**
 * Figures: what was measured ({@link org.ofi4j.benchmarks.figure.Quantity}), of which side, in how
 * many rounds, and the bars that are held against it.
 *
 * <p>Uses no other room. Read {@link org.ofi4j.benchmarks.figure.Row} first.
 */
package org.ofi4j.benchmarks.figure;
