// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Puts addresses that follow each other at unused indices: at the end of the run before them if
 * they go on from it, else as a run of their own. For the one thread that writes.
 *
 * <p>A run is added by one store, and so are its entries, unless their indices were used before.
 * The slots of those say that they are unused. Each becomes 0 after the run was added, and with
 * that store its entry lives. The generation of a run is above those of all these slots. Older runs
 * that cover the unused indices are cut.
 */
public final class RunPlacement {
  /** Fewer addresses than this are not worth a run. */
  public static final int LEAST = 16;

  private final Slots slots;
  private final FreeIndices freeIndices;
  private final Runs runs;

  public RunPlacement(Slots slots, FreeIndices freeIndices, Runs runs) {
    this.slots = slots;
    this.freeIndices = freeIndices;
    this.runs = runs;
  }

  /** The run at whose end the next index is; null if there is none that could go on there. */
  public @Nullable Run tail() {
    return before(freeIndices.end());
  }

  /** The run that ends before an index, if it can go on there. */
  private @Nullable Run before(int index) {
    Run run = index == 0 ? null : runs.at(index - 1);
    // New entries have no shares yet.
    return run != null && run.end() == index && run.shares() == 0 ? run : null;
  }

  /**
   * Puts addresses that no entry has, or that may have several, at unused indices.
   *
   * @param at the next index to be used
   * @param count how many, at least 1; so many indices from there on are unused
   * @return how many were put, from the first on; 0 if they are not worth a run
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public int place(RunShape addresses, int at, int count) {
    Run before = before(at);
    if (before != null && before.shape().from(before.count()).equals(addresses)) {
      int most = Math.min(count, before.shape().limit() - before.count());
      if (most > 0 && nextGeneration(at, at + most) <= before.generation()) {
        Run longer = before.withCount(before.count() + most);
        put(longer, runs.slotCount(before), at);
        return most;
      }
    }
    if (count < LEAST || !runs.hasRoom(2)) {
      return 0;
    }
    put(new Run(at, count, addresses, nextGeneration(at, at + count), 0), 0, at);
    return count;
  }

  /** The largest generation that comes next in an interval of unused indices. */
  private long nextGeneration(int from, int to) {
    long most = 0;
    for (int used = slots.usedFrom(from, to); used < to; used = slots.usedFrom(used + 1, to)) {
      most = Math.max(most, SlotWord.generation(slots.word(used)));
    }
    return most;
  }

  /**
   * Adds a run, or makes one longer, at unused indices.
   *
   * @param slotCount how many of its other indices have slots
   * @param from the first of the unused indices, which are the last ones of the run
   */
  private void put(Run run, int slotCount, int from) {
    int to = run.end();
    runs.put(run, slotCount);
    for (int used = slots.usedFrom(from, to); used < to; used = slots.usedFrom(used + 1, to)) {
      slots.clear(used);
    }
    freeIndices.take(from, to - from);
  }
}
