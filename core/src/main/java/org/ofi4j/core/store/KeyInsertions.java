// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.run.Runs;

/** Insertions of addresses of any kind, or of one. For one thread at a time. */
final class KeyInsertions extends BatchInsertions {
  private static final AddressKey[] NONE = {};

  /** What is inserted now. */
  private AddressKey[] keys = NONE;

  KeyInsertions(
      StoreParts parts,
      CellBatch batch,
      NextIndices next,
      boolean several,
      SingleInsertions singles) {
    super(parts, batch, next, several, singles);
  }

  /**
   * Inserts addresses.
   *
   * @param all as {@link EntryStore#insert(AddressKey[], int, int[])} has them
   * @param outcomes takes what became of each
   * @return how many were tried, as {@link #insert(int, int, int[])}
   */
  int insert(AddressKey[] all, int count, int[] outcomes) {
    keys = all;
    try {
      return insert(0, count, outcomes);
    } finally {
      keys = NONE;
    }
  }

  @Override
  long hash(int at) {
    return entries.hash(keys[at]);
  }

  @Override
  boolean isSpecial(int at, @Nullable Runs present) {
    return present != null && present.find(keys[at]) >= 0;
  }

  @Override
  long encode(int at, long hash) {
    return entries.encode(keys[at], hash);
  }

  @Override
  void discard(long word) {
    entries.discard(word);
  }

  @Override
  boolean putIfAbsent(CellBatch cells, int i, int at, int index) {
    return cells.putIfAbsent(i, keys[at], 0, index);
  }

  @Override
  int insertSingly(int at) {
    return singles.insert(keys[at]);
  }
}
