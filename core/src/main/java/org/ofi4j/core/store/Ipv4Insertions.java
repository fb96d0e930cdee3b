// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.SlotWord;

/** Insertions of many IPv4 addresses. For one thread at a time. */
final class Ipv4Insertions extends BatchInsertions {
  private static final long[] NONE = {};

  /** What is inserted now. */
  private long[] addresses = NONE;

  Ipv4Insertions(
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
   * @param words as {@link EntryStore#insertIpv4} has them
   * @param start the first one
   * @param end one more than the last one
   * @param outcomes takes what became of each, at the same place
   */
  int insert(long[] words, int start, int end, int[] outcomes) {
    addresses = words;
    try {
      return insert(start, end, outcomes);
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
    return singles.insert(addresses[at]);
  }
}
