// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.slot.EntryCounts;

/**
 * Finds addresses that follow each other among those that are inserted one by one, so that they
 * become runs wherever that is worth it. For the one thread that writes.
 *
 * <p>The last ones are remembered: 16 at successive indices that turn out to be in a row become a
 * run, from which the next ones go on. A run of one row whose next address begins another such row
 * becomes one of several rows.
 */
public final class RunDetection {
  private static final int LEAST = RunPlacement.LEAST;

  private final FreeIndices freeIndices;
  private final RunPlacement placement;
  private final EntryCounts counts;

  /** The last scattered entry, and for how many it has gone on by the same difference. */
  private int lastIndex = -1;

  private long lastWord;
  private long difference;
  private int inRow;

  /**
   * Nothing was inserted yet.
   *
   * @param counts told of entries that came, or lost their slots
   */
  public RunDetection(FreeIndices freeIndices, RunPlacement placement, EntryCounts counts) {
    this.freeIndices = freeIndices;
    this.placement = placement;
    this.counts = counts;
  }

  /**
   * Inserts one address that no entry has, or that may have several, where it goes on from the last
   * run.
   *
   * @param word {@code address << 16 | port}
   * @return whether it was inserted
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public boolean extend(long word, int index) {
    if (index != freeIndices.end() || !placement.extendsTail(word) || placement.room(1) == 0) {
      return false;
    }
    placement.grow(1);
    counts.add(1);
    return true;
  }

  /** Looks at an address, {@code address << 16 | port}, that got a slot. */
  public void scattered(int index, long word) {
    long step = word - lastWord;
    boolean behind = index == lastIndex + 1 && index > 0;
    inRow = !behind ? 1 : step == difference ? inRow + 1 : 2;
    difference = step;
    lastIndex = index;
    lastWord = word;
    if (inRow < LEAST) {
      return;
    }
    RunShape row = RunShape.row(word - (LEAST - 1) * step, step);
    inRow = 0;
    try {
      if (row != null
          && row.limit() >= LEAST
          && placement.promote(index - LEAST + 1, index + 1, row)) {
        counts.promoted(LEAST);
      }
    } catch (OutOfMemoryError e) {
      // They stay scattered.
    }
  }

  /** Forgets what came last, as another process may have written. */
  public void forget() {
    lastIndex = -1;
    inRow = 0;
    placement.forget();
  }
}
