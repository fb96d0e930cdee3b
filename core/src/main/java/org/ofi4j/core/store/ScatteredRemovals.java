// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Generations;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Removals of many entries, in passes over some of them at a time: one load of each slot, so that
 * the cache misses of all of them overlap; the stores by which they die; what is free then. What is
 * not the ordinary case is left to the removal of a single entry. For one thread at a time.
 */
final class ScatteredRemovals {
  private final Slots slots;
  private final HashTable cells;
  private final FreeIndices freeIndices;
  private final Runs runs;
  private final Generations generations;

  private final long[] words = new long[CellBatch.MOST];
  private final int[] dead = new int[CellBatch.MOST];

  /** Removals from a store whose cells are left behind when entries die. */
  ScatteredRemovals(StoreParts parts) {
    this.slots = parts.slots();
    this.cells = parts.cells();
    this.freeIndices = parts.freeIndices();
    this.runs = parts.runs();
    this.generations = parts.generations();
  }

  /**
   * Loads the slots of entries that are going to be removed.
   *
   * @param indices any numbers
   * @param from the first one
   * @param to one more than the last one, at most {@link CellBatch#MOST} more than the first
   */
  void touch(int[] indices, int from, int to) {
    slots.words(indices, from, to, words);
  }

  /**
   * Removes IPv4 entries without side records, as long as that goes.
   *
   * @param indices any numbers
   * @param from the first one
   * @param to one more than the last one, at most {@link CellBatch#MOST} more than the first
   * @param outcomes takes 0 for each that was removed, at the same place; may be the same array
   * @return how many were removed
   */
  int remove(int[] indices, int from, int to, int[] outcomes) {
    // As long as there are runs, the last index in use does not go without them.
    int end = Runs.isEmpty(runs.version()) ? freeIndices.end() : freeIndices.end() - 1;
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
    }
    return removed;
  }

  /** The store by which an entry dies; false if it has to die in another way. */
  private boolean die(MemorySegment page, int index) {
    // What was loaded before may be the same entry, given twice.
    long slot = SlotPages.offset(page, index);
    long word = page.get(JAVA_LONG, slot);
    if (SlotWord.state(word) != SlotWord.IPV4 || SlotWord.hasSide(word)) {
      return false;
    }
    SlotChanges.free(page, slot, generations.generation(index, word) + 1);
    return true;
  }
}
