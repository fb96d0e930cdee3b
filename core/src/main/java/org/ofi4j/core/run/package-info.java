// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges of addresses that are kept as formulas: a run is a base, a stride and a count, and its
 * entries have no slots. Runs are found by address and by index. This room also notices addresses
 * in a row, and makes a run of them.
 *
 * <p>Uses {@code memory}, {@code address}, {@code hash}, {@code free} and {@code slot}. Read {@link
 * org.ofi4j.core.run.Runs} first, then {@link org.ofi4j.core.run.RunEntries}.
 */
package org.ofi4j.core.run;
