// SPDX-License-Identifier: Apache-2.0
/**
 * The contents of an index: a slot word, a record with the address, and, if an entry needs more (a
 * count, a mark, a long generation), a side word. Cells of the hash table lead from an address to
 * its index. Only {@link org.ofi4j.core.slot.Slots} writes slots.
 *
 * <p>Other rooms use slots and records; what any thread may call and what only the writer may call
 * are two types. This room uses {@code memory}, {@code address}, {@code hash} and {@code free}, and
 * {@code share} for the keys of shared vectors. Read {@link org.ofi4j.core.slot.SlotWord} first,
 * then {@link org.ofi4j.core.slot.Slots}.
 */
package org.ofi4j.core.slot;
