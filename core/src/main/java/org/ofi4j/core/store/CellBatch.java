// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.slot.ReverseIndex;

/**
 * Cells for addresses that come together: first the buckets that searches for all of them begin at
 * are loaded, so that their cache misses overlap, then one after the other gets its cell. For the
 * writer; one thread at a time.
 */
final class CellBatch {
  /** How many addresses there may be: more cache misses than these are never under way. */
  static final int MOST = 128;

  private final ReverseIndex addresses;
  private final HashTable cells;
  private final long[] hashes = new long[MOST];
  private boolean prepared;

  /** A sum of loaded words, which makes the compiler keep the loads. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  CellBatch(StoreParts parts) {
    this.addresses = parts.index();
    this.cells = addresses.cells();
  }

  void hash(int i, long hash) {
    hashes[i] = hash;
  }

  long hash(int i) {
    return hashes[i];
  }

  /** Makes room for addresses, of which the hashes are known, and loads their buckets. */
  void load(int count) {
    try {
      cells.prepareMany(count, 0);
      prepared = true;
    } catch (OutOfMemoryError e) {
      // Each address will be told.
      prepared = false;
    }
    if (!cells.isSmall()) {
      touch(count);
    }
  }

  /** Loads a cell of each bucket: in a loop with little in it many misses are under way at once. */
  private void touch(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += cells.touch(hashes[i]);
    }
    touched = sum;
  }

  /**
   * Gives an address a cell if that is plain to do.
   *
   * @param i which address
   * @return false if there is more to look at
   */
  boolean put(int i, int index) {
    return prepared && cells.fillIfUntagged(hashes[i], index);
  }

  /**
   * Gives an address a cell, wherever there is one. All entries that were given cells here must
   * have their slots.
   *
   * @param i which address
   * @param address that of IPv4, if there is no key
   * @return false if it has one, or there is no memory
   */
  boolean putIfAbsent(int i, @Nullable AddressKey key, long address, int index) {
    long hash = hashes[i];
    try {
      cells.prepare(index, true);
    } catch (OutOfMemoryError e) {
      return false;
    }
    return cells.fillIfAbsent(hash, index, addresses, key, address);
  }
}
