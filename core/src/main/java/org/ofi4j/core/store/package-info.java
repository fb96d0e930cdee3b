// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of one vector in one process, behind {@link org.ofi4j.core.store.EntryStore}: insert,
 * look up, find, remove. One thread at a time changes them; any thread reads without waiting.
 *
 * <p>{@code StoreChanges} changes single entries, {@code BatchChanges} many of them in one call;
 * {@code RangeInsertions} makes runs. {@code StoreCopy} copies all of them to be saved. {@code
 * Recovery} derives what only writers use from what readers use. {@code EntryLookups} reads
 * entries; other classes named after lookups or searches are fast paths for usual cases. Checking
 * calls and running them asynchronously is the business of {@code av}.
 *
 * <p>Other rooms use the store; only {@code check} and {@code mapped} use its parts. This room uses
 * {@code run}, {@code slot}, {@code free}, {@code hash}, {@code address}, {@code memory}, and the
 * random numbers of {@code object}. Read {@link org.ofi4j.core.store.EntryStore} first.
 */
package org.ofi4j.core.store;
