// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
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
public final class ReverseIndex implements HashTable.Match<AddressKey> {
  /** How many entries are handled at a time: so many cache misses overlap, and then some. */
  public static final int TOGETHER = 128;

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
    return cells.find(hash, this, key, 0);
  }

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}. */
  public int findIpv4(long address, long hash) {
    return cells.find(hash, this, null, address);
  }

  /** {@inheritDoc} Of an address of any kind; without a key, that of IPv4. */
  @Override
  public int look(
      MemorySegment block, long at, int cell, int index, @Nullable AddressKey key, long address) {
    long slot = entries.word(index);
    if (key == null ? entries.holdsIpv4(index, slot, address) : entries.holds(index, slot, key)) {
      return index;
    }
    return changed(block, at, cell, index, slot) ? HashTable.CHANGED : -1;
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
