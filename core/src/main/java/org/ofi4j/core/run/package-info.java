// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges of addresses that are kept as formulas: a run is a base, a stride and a count, and its
 * entries have no slots. {@code Runs} finds them by address and by index.
 *
 * <p>{@code store} uses runs, and {@code check} checks them. This package uses {@code memory},
 * {@code address}, {@code hash}, {@code free} and {@code slot}. Read {@link
 * org.ofi4j.core.run.Runs} first.
 */
package org.ofi4j.core.run;
