// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.Bucket;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.PartitionWord;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * From address to index: {@link HashTable} whose numbers are indices. Each address has one cell;
 * what it says is the slot's business.
 *
 * <p>One thread at a time writes, through {@link #cells}.
 */
public final class ReverseIndex {
  /** How many entries are handled at a time: so many cache misses overlap, and then some. */
  public static final int TOGETHER = 128;

  /** What a search answers that has to be done again. */
  private static final int CHANGED = -2;

  private final SlabAllocator allocator;
  private final Entries entries;
  private final HashTable cells;
  private final long[] words = new long[TOGETHER];

  /** What {@link #touch} loaded goes here, so that it is loaded. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  /**
   * An empty index.
   *
   * @param entries the slots that cells refer to
   */
  public ReverseIndex(SlabAllocator allocator, Entries entries, long expected) {
    this.allocator = allocator;
    this.entries = entries;
    this.cells = new HashTable(allocator, Superblock.DIRECTORY, entries, expected);
    // Cells are where the seed says, those of addresses and those of indices alike.
    if (allocator.root().get(JAVA_LONG, Superblock.SEED) != entries.seed()) {
      allocator.root().set(JAVA_LONG, Superblock.SEED, entries.seed());
    }
  }

  /** The cells, for the writer. */
  public HashTable cells() {
    return cells;
  }

  /** An index whose cell has an address, live at a moment of the call, or -1; for any thread. */
  public int find(AddressKey key, long hash) {
    return find(key, 0, hash);
  }

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}. */
  public int findIpv4(long address, long hash) {
    return find(null, address, hash);
  }

  /** Finds an address of any kind; without a key, that of IPv4. */
  private int find(@Nullable AddressKey key, long address, long hash) {
    int looks = 0;
    while (true) {
      int partition = cells.partition(hash);
      if (partition == 0) {
        return -1;
      }
      long word = cells.word(partition);
      if (!PartitionWord.covers(word, hash)) {
        cells.refresh();
        looks = HashTable.again(looks, hash);
        continue;
      }
      int found = search(partition, word, key, address, hash);
      if (found != CHANGED && cells.isCurrent(partition, word)) {
        return found;
      }
      looks = HashTable.again(looks, hash);
    }
  }

  private int search(int partition, long word, @Nullable AddressKey key, long address, long hash) {
    int buckets = PartitionWord.buckets(word);
    int indexBits = PartitionWord.indexBits(word);
    int bucketBits = PartitionWord.bucketBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int bucket = PartitionWord.home(hash, buckets);
    // Blocks that were taken for something else may have no free cell where they had one.
    for (int left = buckets; left > 0; left--) {
      int unit = cells.block(partition, word, bucket >>> bucketBits);
      MemorySegment block = allocator.segment(unit);
      long offset = cells.bucket(unit, word, bucket);
      if (!HashTable.isBucket(block, offset)) {
        return CHANGED;
      }
      long tagged = Bucket.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        long at = Bucket.offset(offset, tagged);
        int cell = block.get(JAVA_INT, at);
        int index = PartitionWord.number(cell, tag);
        long slot = entries.word(index);
        if (holds(index, slot, key, address)) {
          return index;
        }
        if (changed(block, at, cell, index, slot)) {
          return CHANGED;
        }
      }
      if (Bucket.hasFree(block, offset)) {
        return -1;
      }
      bucket = PartitionWord.nextBucket(bucket, word);
    }
    return -1;
  }

  private boolean holds(int index, long slot, @Nullable AddressKey key, long address) {
    return key == null ? entries.holdsIpv4(index, slot, address) : entries.holds(index, slot, key);
  }

  /**
   * Loads what removals of entries are going to look at, so that the cache misses of all of them
   * overlap; for the writer.
   *
   * @param indices any numbers
   * @param from the position of the first
   * @param count how many, at most {@link #TOGETHER}
   */
  public void touch(int[] indices, int from, int count) {
    for (int i = 0; i < count; i++) {
      words[i] = entries.word(indices[from + i]);
    }
    int sum = 0;
    for (int i = 0; i < count; i++) {
      if (SlotWord.state(words[i]) == SlotWord.IPV4) {
        long hash = entries.hashOf(words[i]);
        int partition = cells.partition(hash);
        long word = partition == 0 ? 0 : cells.word(partition);
        int buckets = PartitionWord.buckets(word);
        if (buckets != 0) {
          int home = PartitionWord.home(hash, buckets);
          int unit = cells.block(partition, word, home >>> PartitionWord.bucketBits(word));
          sum += SegmentAccess.intOpaque(allocator.segment(unit), cells.bucket(unit, word, home));
        }
      }
    }
    touched = sum;
  }

  /**
   * Whether a cell and the slot that it names were no pair. The cell of an address that has several
   * entries goes over to the next one before the one it named dies: who loaded the cell before that
   * and the slot after it has seen neither. If the slot was the same before and after a look at the
   * cell, which was the same too, then the cell named just that slot at that moment.
   */
  private boolean changed(MemorySegment block, long offset, int cell, int index, long slot) {
    // The cell is loaded after the slot and, by the acquire, before the slot is loaded again.
    return SegmentAccess.intAcquire(block, offset) != cell
        || !SlotWord.sameEntry(slot, entries.word(index));
  }
}
