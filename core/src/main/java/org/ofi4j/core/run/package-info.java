// SPDX-License-Identifier: Apache-2.0
/**
 * Ranges of addresses that are kept as formulas: a run is a base, a stride and a count, and its
 * entries have no slots. This room finds runs by address and by index, and places them among the
 * entries.
 *
 * <p>{@code store} uses runs, and {@code check} their layout. This room uses {@code memory}, {@code
 * address}, {@code hash}, {@code free} and {@code slot}. Read {@link org.ofi4j.core.run.Runs}
 * first, then {@link org.ofi4j.core.run.RunEntries}.
 */
package org.ofi4j.core.run;
