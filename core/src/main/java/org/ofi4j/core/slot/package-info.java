// SPDX-License-Identifier: Apache-2.0
/**
 * What an index holds: a slot word, a record with the address, and a side record for what few
 * entries have, such as user ids and keys. The authorization keys of a shared vector have slots of
 * their own. The reverse index finds the entry of an address. Only {@link
 * org.ofi4j.core.slot.SlotChanges} writes slots.
 *
 * <p>Uses {@code memory}, {@code address}, {@code hash}, {@code free} and {@code share}. Read
 * {@link org.ofi4j.core.slot.SlotWord} first, then {@link org.ofi4j.core.slot.Slots}.
 */
package org.ofi4j.core.slot;
