// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Handles;
import org.ofi4j.core.object.SystemRandom;

/**
 * What a store is like.
 *
 * @param expected how many entries are likely, a hint (AV-035) that costs little before there are
 *     4,097
 * @param reuse true to give each entry the lowest unused index (AV-083), false to append always
 * @param duplicates what inserting a live address does, never {@link DuplicatePolicy#BY_VERSION}
 * @param capacity how many indices there are, at most {@link Handles#MAX_ENTRIES}
 * @param seed of the hash function; to be unknown to peers
 * @param wide whether each slot has room for an IPv6 address; for stores of such addresses
 */
public record StoreOptions(
    long expected,
    boolean reuse,
    DuplicatePolicy duplicates,
    int capacity,
    long seed,
    boolean wide) {
  /** A store that takes as many entries as handles can name, with a seed of its own. */
  public static StoreOptions of(long expected, boolean reuse, DuplicatePolicy duplicates) {
    return new StoreOptions(
        expected, reuse, duplicates, Handles.MAX_ENTRIES, SystemRandom.nextLong(), false);
  }

  public StoreOptions expecting(long entries) {
    return new StoreOptions(entries, reuse, duplicates, capacity, seed, wide);
  }

  public StoreOptions withSeed(long other) {
    return new StoreOptions(expected, reuse, duplicates, capacity, other, wide);
  }

  public StoreOptions withWideSlots(boolean other) {
    return new StoreOptions(expected, reuse, duplicates, capacity, seed, other);
  }
}
