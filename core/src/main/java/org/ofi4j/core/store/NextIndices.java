// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.slot.Generations;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * The next indices for entries that come together: those that follow the last one in use, of which
 * nothing need be looked at for each as long as they have slots in one page; and before them those
 * that were used before, one at a time. For the writer; one thread at a time.
 */
final class NextIndices {
  private final Slots slots;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final Generations generations;
  private final int capacity;

  private MemorySegment page = MemorySegment.NULL;
  private int first;
  private long firstSlot;

  NextIndices(StoreParts parts, int capacity) {
    this.slots = parts.slots();
    this.freeIndices = parts.freeIndices();
    this.free = freeIndices.lookups();
    this.generations = parts.generations();
    this.capacity = capacity;
  }

  /**
   * Makes indices ready.
   *
   * @param wanted how many, at least 1
   * @return how many there are: one that was used before, if it is the next; 0 if more is to be
   *     looked at, or for want of memory
   */
  int prepare(int wanted) {
    int lowest = freeIndices.next();
    int end = freeIndices.end();
    if (lowest < 0) {
      return 0;
    }
    int most = 1;
    try {
      if (lowest == end) {
        slots.ensure(lowest, false);
      }
      MemorySegment its = slots.page(lowest);
      if (its == null) {
        return 0;
      }
      page = its;
      // Those that were used before are taken one at a time.
      if (lowest == end) {
        most = Math.min(Math.min(wanted, capacity - end), SlotPages.roomFrom(page, end));
      }
      freeIndices.prepare(lowest + most - 1);
    } catch (OutOfMemoryError e) {
      return 0;
    }
    first = lowest;
    firstSlot = SlotPages.offset(page, lowest);
    if (lowest < end) {
      // Without a word, what it was is told elsewhere.
      return page.get(JAVA_LONG, firstSlot) == 0 ? 0 : 1;
    }
    // Entries that had no slots have left their generations elsewhere.
    return free.nextGeneration(end, most) == 0 ? most : 0;
  }

  int first() {
    return first;
  }

  /** Whether the slot of one of them can say all of its generation, as things are. */
  boolean fits(int i) {
    return generations.fits(
        first, SlotWord.generation(page.get(JAVA_LONG, firstSlot + (long) i * Long.BYTES)));
  }

  /** What is stored in slots from here on is seen by nobody who does not see the cells as well. */
  static void behindCells() {
    VarHandle.releaseFence();
  }

  /**
   * Publishes an entry that has a cell; {@link #behindCells} comes before.
   *
   * @param i which of the indices
   * @param stateAndBody what its slot says but for its generation
   */
  void store(int i, long stateAndBody) {
    long offset = firstSlot + (long) i * Long.BYTES;
    long generation = generations.from(first, SlotWord.generation(page.get(JAVA_LONG, offset)));
    SlotChanges.show(page, offset, stateAndBody, generation);
  }

  /** The first of the indices are in use now. */
  void take(int count) {
    if (first < freeIndices.end()) {
      freeIndices.take(first);
    } else {
      freeIndices.takeRun(first, count);
    }
  }
}
