// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashLookups;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.Match;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * From address to index: {@link HashTable} whose numbers are indices. Each address has one cell;
 * what it says is the slot's business.
 *
 * <p>One thread at a time writes, through {@link #cells}.
 */
public final class ReverseIndex implements Match<AddressKey> {
  private final Entries entries;
  private final HashTable cells;
  private final HashLookups lookups;

  /**
   * An empty index.
   *
   * @param entries the slots that cells refer to
   */
  public ReverseIndex(SlabAllocator allocator, Entries entries, long expected) {
    this.entries = entries;
    this.cells = new HashTable(allocator, Superblock.CELLS, entries, expected);
    this.lookups = cells.lookups();
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
    return lookups.find(hash, this, key, 0);
  }

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}. */
  public int findIpv4(long address, long hash) {
    return lookups.find(hash, this, null, address);
  }

  /** {@inheritDoc} Of an address of any kind; without a key, that of IPv4. */
  @Override
  public int look(
      MemorySegment block, long at, int cell, int index, @Nullable AddressKey key, long address) {
    long slot = entries.word(index);
    if (key == null ? entries.holdsIpv4(index, slot, address) : entries.holds(index, slot, key)) {
      return index;
    }
    return changed(block, at, cell, index, slot) ? Match.CHANGED : -1;
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
