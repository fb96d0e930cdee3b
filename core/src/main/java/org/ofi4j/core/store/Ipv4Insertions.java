// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.SlotWord;

/** Insertions of many IPv4 addresses. For one thread at a time. */
final class Ipv4Insertions extends BatchInsertions {
  private static final long[] NONE = {};

  private final Entries entries;
  private final LongToIntFunction single;

  /** What is inserted now. */
  private long[] addresses = NONE;

  /**
   * Insertions into a store.
   *
   * @param entries its entries
   * @param cells the cells of its reverse index
   * @param batch gives addresses cells
   * @param next its next indices
   * @param runs its runs, whose addresses get no other index; null if they do
   * @param single inserts one address: its index or a negative errno
   */
  Ipv4Insertions(
      Entries entries,
      HashTable cells,
      CellBatch batch,
      NextIndices next,
      @Nullable Runs runs,
      LongToIntFunction single) {
    super(cells, batch, next, runs);
    this.entries = entries;
    this.single = single;
  }

  /**
   * Inserts addresses.
   *
   * @param words as {@link EntryStore#insertIpv4} has them
   * @param start the first one
   * @param end one more than the last one
   * @param outcomes takes what became of each, at the same place
   * @param added told of entries that were made here
   * @return as {@link #insert(int, int, int[], Added)}
   */
  int insert(long[] words, int start, int end, int[] outcomes, Added added) {
    addresses = words;
    try {
      return insert(start, end, outcomes, added);
    } finally {
      addresses = NONE;
    }
  }

  @Override
  long hash(int at) {
    return entries.hashIpv4(addresses[at]);
  }

  @Override
  boolean isSpecial(int at, @Nullable Runs present) {
    return present != null && present.findIpv4(addresses[at]) >= 0;
  }

  @Override
  long encode(int at, long hash) {
    return SlotWord.ipv4(addresses[at]);
  }

  @Override
  void discard(long word) {}

  @Override
  boolean putIfAbsent(CellBatch cells, int i, int at, int index) {
    return cells.putIfAbsent(i, null, addresses[at], index);
  }

  @Override
  int insertSingly(int at) {
    return single.applyAsInt(addresses[at]);
  }
}
