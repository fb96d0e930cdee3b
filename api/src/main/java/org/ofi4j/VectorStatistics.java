// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * What an address vector holds, and how often it was changed: {@link AddressVector#statistics}.
 *
 * <p>What it holds is the same for all processes that share a vector by its {@linkplain
 * VectorOptions#name name}. Changes are those made through this one {@link AddressVector} since it
 * was opened.
 *
 * @param entries how many entries there are
 * @param capacity how many entries fit before more memory is taken, at least {@code entries}
 * @param highWaterMark the most entries that there ever were at one time, at least {@code entries}
 * @param memory the memory that the vector takes
 * @param insertions addresses that were inserted, those too that share an entry which was there
 *     already; of an asynchronous insertion as soon as all of it has ended
 * @param failedInsertions addresses that could not be inserted, in calls that went through
 * @param removals entries, or shares of entries, that were removed
 */
public record VectorStatistics(
    long entries,
    long capacity,
    long highWaterMark,
    MemoryUse memory,
    long insertions,
    long failedInsertions,
    long removals) {}
