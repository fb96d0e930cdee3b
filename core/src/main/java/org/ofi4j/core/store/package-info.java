// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of one vector in one process, behind {@link org.ofi4j.core.store.EntryStore}: insert,
 * look up, find, remove. One thread at a time changes them; any thread reads without waiting.
 *
 * <p>{@code StoreChanges} changes entries. Classes named after insertions, removals or batches do
 * so for many at once. {@code EntryLookups} reads entries; classes named after lookups or searches
 * are short ways for usual cases.
 *
 * <p>Shows the store, and its parts to {@code check} and {@code mapped}. Uses {@code run}, {@code
 * slot}, {@code free}, {@code hash}, {@code address}, {@code memory}, and the random numbers of
 * {@code object}. Read {@code EntryStore} first, then {@link
 * org.ofi4j.core.store.SegmentEntryStore}.
 */
package org.ofi4j.core.store;
