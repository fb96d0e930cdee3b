// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.Bucket;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.PartitionWord;
import org.ofi4j.core.hash.WriterPartitionCache;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SlotWord;

/**
 * Cells for addresses that come together: first the buckets that searches for all of them begin at
 * are found and loaded, so that their cache misses overlap, then one after the other gets its cell.
 * Removals of many only have loaded what they need. For the writer; one thread at a time.
 */
final class CellBatch {
  /** How many addresses there may be: so many cache misses overlap, and then some. */
  static final int MOST = 128;

  private final SlabAllocator allocator;
  private final Entries entries;
  private final ReverseIndex addresses;
  private final HashTable cells;
  private final WriterPartitionCache known;

  private final long[] hashes = new long[MOST];
  private final long[] words = new long[MOST];
  private final int[] units = new int[MOST];

  /** What was loaded goes here, so that it is loaded. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  CellBatch(StoreParts parts) {
    this.allocator = parts.allocator();
    this.entries = parts.entries();
    this.addresses = parts.index();
    this.cells = addresses.cells();
    this.known = cells.known();
  }

  void hash(int i, long hash) {
    hashes[i] = hash;
  }

  long hash(int i) {
    return hashes[i];
  }

  /** Finds and loads what addresses will need, of which the hashes are known. */
  void load(int count) {
    locate(count);
    touch(count);
  }

  /**
   * Loads what removals of IPv4 entries will need.
   *
   * @param indices any numbers
   * @param from the position of the first
   */
  void load(int[] indices, int from, int count) {
    for (int i = 0; i < count; i++) {
      words[i] = entries.word(indices[from + i]);
    }
    for (int i = 0; i < count; i++) {
      // Of others any bucket is loaded.
      hashes[i] = SlotWord.state(words[i]) == SlotWord.IPV4 ? entries.hashOf(words[i]) : 0;
    }
    if (!cells.isEmpty()) {
      load(count);
    }
  }

  /** Finds the buckets that searches for addresses begin at. */
  private void locate(int count) {
    try {
      known.follow(cells.directory());
    } catch (OutOfMemoryError e) {
      // Each address will be told.
      Arrays.fill(words, 0, count, 0);
      Arrays.fill(units, 0, count, 0);
      return;
    }
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      long word = known.word(hash);
      words[i] = word;
      // The root does for those that have no bucket yet: it can be loaded as well.
      units[i] = PartitionWord.blocks(word) == 0 ? 0 : known.home(hash, word);
    }
  }

  /** Loads a cell of each bucket: in a loop with little in it many misses are under way at once. */
  private void touch(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      int unit = units[i];
      sum += allocator.segment(unit).get(JAVA_INT, allocator.offset(unit));
    }
    touched = sum;
  }

  /**
   * Gives an address a cell if that is plain to do. Of the cells that were filled so {@link
   * HashTable#added} is to be told.
   *
   * @param i which address
   * @return false if there is more to look at
   */
  boolean put(int i, int index) {
    long hash = hashes[i];
    long word = words[i];
    int indexBits = PartitionWord.indexBits(word);
    int unit = units[i];
    if (unit == 0 || index >= PartitionWord.numberMask(indexBits) || known.word(hash) != word) {
      return false;
    }
    // Of a length that the compiler knows: no bounds are checked for what is at fixed places.
    MemorySegment bucket =
        allocator.segment(unit).asSlice(allocator.offset(unit), SlabAllocator.UNIT_BYTES);
    int tag = PartitionWord.tag(hash, indexBits);
    if (Bucket.hasTagged(bucket, 0, tag, indexBits)
        || !Bucket.hasFree(bucket, 0)
        || !known.takeRoom(word)) {
      return false;
    }
    bucket.set(JAVA_INT, Bucket.firstFree(bucket, 0), PartitionWord.cell(hash, index, indexBits));
    return true;
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
      cells.prepare(hash, index, true);
    } catch (OutOfMemoryError e) {
      return false;
    }
    known.follow(cells.directory());
    return cells.fillIfAbsent(hash, index, addresses, key, address);
  }
}
