// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashLookups;
import org.ofi4j.core.hash.Table;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * Searches for IPv4 addresses that have entries, in as few instructions as can be: a search among a
 * million peers misses the cache twice, at the cell and at the slot that it names, and successive
 * searches overlap only as far as their instructions fit into the window of some hundred that a
 * processor works on at a time. What is not found here is for others: the general way through
 * {@link EntryLookups}.
 *
 * <p>That is right because the slot decides: where each address has one entry at most, a live slot
 * with the address is the answer, whatever led there. So nothing that is looked at before needs to
 * be of one time, nor to be looked at again: not the table, nor the cells, which may be those of a
 * block that serves another table by now, or no cells at all.
 *
 * <p>Lock-free; by any thread.
 */
public final class Ipv4Searches {
  /** How many buckets are looked at: what was the table may have no free cells any more. */
  private static final int MOST_BUCKETS = 16;

  private final long seed;
  private final SlotPages pages;
  private final HashLookups cells;

  private final Runs runs;

  /** Whether an address may have several entries: the slot does not say which is the lowest. */
  private final boolean several;

  /** Whether the memory is that of a file, which may be cut. */
  private final boolean mapped;

  /** Whether the memory of the file may be read; a thread may see late that it may not. */
  private boolean readable = true;

  Ipv4Searches(
      long seed, SlotPages pages, HashLookups cells, Runs runs, boolean several, boolean mapped) {
    this.seed = seed;
    this.pages = pages;
    this.cells = cells;
    this.runs = runs;
    this.several = several;
    this.mapped = mapped;
  }

  /** Finds nothing in a file from now on. */
  void stop() {
    readable = false;
  }

  /**
   * Finds an address, lock-free; any thread may call.
   *
   * @param address {@code address << 16 | port}, or any number
   * @return an index that had it at a moment during the call; -1 if that has to be found out in the
   *     general way, which also says what is wrong with a file
   */
  public int find(long address) {
    if (several) {
      return -1;
    }
    return mapped ? findInFile(address) : findInCells(address);
  }

  private int findInFile(long address) {
    if (!readable) {
      return -1;
    }
    try {
      int index = findInCells(address);
      if (index < 0) {
        index = runs.findIpv4(address);
      }
      MappedFaults.surface();
      return index;
    } catch (IllegalStateException | InternalError failed) {
      return -1;
    }
  }

  /**
   * Finds an address in cells. The method is longer than what HotSpot makes part of its callers,
   * which would be too large for theirs then; and so their segments would be objects on the heap.
   */
  private int findInCells(long address) {
    long hash = AddressKey.hashIpv4(address, seed);
    Table table = cells.likely(hash);
    int tag = table.tag(hash);
    long home = table.home(hash);
    int first = Table.bucket(home);
    int end = Math.min(table.all(), first + MOST_BUCKETS);
    for (int bucket = first; bucket < end; bucket++) {
      MemorySegment block = table.block(bucket);
      if (block == null || !SegmentAccess.isNative(block)) {
        return -1;
      }
      long start = table.start(bucket);
      for (int i = 0; i < Table.CELLS; i++) {
        int cell = block.get(JAVA_INT, start + Table.offset(home, i));
        int index = table.number(cell, tag);
        if (index >= 0 && SlotWord.isIpv4(pages.nearWordAcquire(index), address)) {
          return index;
        }
        if (cell == 0) {
          return -1;
        }
      }
      home = 0;
    }
    return -1;
  }
}
