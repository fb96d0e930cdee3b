// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.RunPlacement;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Changes of many entries in one call. Unusual cases are left to {@link StoreChanges}.
 *
 * <pre>
 *   keys ───────────────────▶ BatchInsertions
 *   IPv4 ──▶ RowInsertions ─┬▶ BatchInsertions
 *                           └▶ RangeInsertion ──▶ RunPlacement ──▶ Runs
 * </pre>
 *
 * <p>Removals make passes over some entries at a time: one load of each slot, so that the cache
 * misses of all of them overlap; the stores by which they die; their indices become free.
 *
 * <p>For one thread at a time.
 */
final class BulkChanges {
  private final StoreChanges changes;
  private final Slots slots;
  private final HashTable cells;
  private final FreeIndices freeIndices;
  private final EntryCounts counts;
  private final RangeInsertion ranges;
  private final RowInsertions rows;
  private final BatchInsertions batches;

  /** Whether an address may have several entries, so that a cell goes with its entry. */
  private final boolean several;

  private final long[] words = new long[BatchInsertions.MOST];
  private final int[] dead = new int[BatchInsertions.MOST];

  BulkChanges(StoreParts parts, StoreOptions options, StoreChanges changes) {
    DuplicatePolicy duplicates = options.duplicates();
    this.changes = changes;
    this.slots = parts.slots();
    this.cells = parts.cells();
    this.freeIndices = parts.freeIndices();
    this.counts = parts.counts();
    this.several = duplicates == DuplicatePolicy.NEW_INDEX;
    RunPlacement placement = new RunPlacement(slots, freeIndices, parts.runs());
    this.ranges = new RangeInsertion(parts, duplicates, placement, changes);
    this.batches = new BatchInsertions(parts, options, changes);
    this.rows = new RowInsertions(parts, placement, ranges, batches);
  }

  /** See {@link EntryStore#insert(AddressKey[], int, int[])}. */
  int insert(AddressKey[] keys, int count, int[] outcomes) {
    return batches.insert(keys, count, outcomes);
  }

  /** See {@link EntryStore#insertIpv4}. */
  int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return rows.insert(addresses, count, outcomes);
  }

  /** See {@link EntryStore#insertRange}. */
  void insertRange(AddressRange range, RangeOutcome outcome) {
    ranges.insert(range, outcome);
  }

  /** See {@link EntryStore#remove(int[], int, int[])}. */
  void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += BatchInsertions.MOST) {
      int end = Math.min(count, from + BatchInsertions.MOST);
      slots.words(indices, from, end, words);
      int at = from;
      while (at < end) {
        at += several ? 0 : removeUsual(indices, at, end, outcomes);
        if (at < end) {
          outcomes[at] = changes.remove(indices[at]);
          at++;
        }
      }
    }
  }

  /**
   * Removes IPv4 entries without side words, as long as that goes.
   *
   * @param to one more than the last one, at most {@link BatchInsertions#MOST} more than the first
   * @param outcomes takes 0 for each that was removed, at the same place; may be the same array
   * @return how many were removed
   */
  private int removeUsual(int[] indices, int from, int to, int[] outcomes) {
    int end = freeIndices.end();
    int removed = 0;
    while (from + removed < to) {
      int index = indices[from + removed];
      MemorySegment page = index >= 0 && index < end ? slots.pageForWriter(index) : null;
      if (page == null || !die(page, index)) {
        break;
      }
      dead[removed] = index;
      outcomes[from + removed] = 0;
      removed++;
    }
    if (removed > 0) {
      // They are dead before they are free.
      VarHandle.releaseFence();
      freeIndices.release(dead, removed);
      cells.addTombstones(removed);
      counts.addScattered(-removed);
    }
    return removed;
  }

  /** The store by which an entry dies; false if it has to die in another way. */
  private boolean die(MemorySegment page, int index) {
    // An index may be given twice, so its slot is loaded again.
    long slot = SlotPages.offset(page, index);
    long word = page.get(JAVA_LONG, slot);
    if (SlotWord.state(word) != SlotWord.IPV4 || SlotWord.hasSide(word)) {
      return false;
    }
    Slots.free(page, slot, SlotWord.lowGeneration(word) + 1L);
    return true;
  }
}
