// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;

/** The map of fastutil. Nothing may search it while a writer is at work, so a search locks. */
final class FastutilTable extends LockedTable {
  private final Long2IntOpenHashMap entries = new Long2IntOpenHashMap();

  FastutilTable() {
    entries.defaultReturnValue(-1);
  }

  @Override
  int search(long word) {
    return entries.get(word);
  }

  @Override
  void put(long word, int entry) {
    entries.put(word, entry);
  }

  @Override
  void delete(long word) {
    entries.remove(word);
  }
}
