// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.Errno;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.slot.SideWords;

/**
 * Takes entries out of runs. For the one thread that writes.
 *
 * <p>An entry dies by the store that records it as free, or, as the last one of all, by the store
 * that shortens its run. What is left of a run when a whole block of 65,536 indices, or all of it,
 * has died goes back.
 */
public final class RunRemoval {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final RunEntries entries;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final SideWords side;
  private final Runs runs;
  private final RunChanges changes;
  private final RunRecords records;

  public RunRemoval(
      RunEntries entries, RunChanges changes, FreeIndices freeIndices, SideWords side) {
    this.entries = entries;
    this.freeIndices = freeIndices;
    this.free = freeIndices.lookups();
    this.side = side;
    this.runs = entries.runs();
    this.changes = changes;
    this.records = runs.records();
  }

  /**
   * Removes an entry, or one share of it.
   *
   * @param index an index whose slot is 0
   * @return how many shares are left, 0 if the entry died; {@code -EINVAL} if there is none; {@code
   *     -ENOMEM} if there is no memory to tell that it died
   */
  public int remove(int index) {
    int run = entries.at(index);
    if (run == 0) {
      return INVALID;
    }
    long word = side.word(index);
    int shares = SideWords.sharesInRun(word, records.shares(run));
    try {
      if (shares > 0) {
        side.ensure(index);
        side.set(index, SideWords.withShares(word, SideWords.shares(word) - 1));
        return shares;
      }
      // Who sees it dead sees the next generation.
      freeIndices.prepareForget(index);
      freeIndices.forget(index, records.generation(run));
      die(run, index);
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
    side.clear(index);
    return 0;
  }

  /** Lets runs end where all indices will end, of which the last is about to be released. */
  public void truncateFrom(int index) {
    if (!Runs.isEmpty(runs.version())) {
      changes.truncate(freeIndices.endWithout(index));
    }
  }

  /**
   * Lets no lookup go by a formula alone for an index, whose entry is about to die or to get a
   * slot; nor a search by what it saw before.
   */
  public void exclude(int index) {
    runs.live().remove(index, index + 1);
    runs.renew();
  }

  private void die(int run, int index) {
    exclude(index);
    int end = freeIndices.end();
    int endWithout = index == end - 1 ? freeIndices.endWithout(index) : end;
    if (endWithout < end) {
      changes.truncate(endWithout);
      freeIndices.releaseOfRun(index);
      return;
    }
    freeIndices.releaseOfRun(index);
    try {
      tidy(run, index);
    } catch (OutOfMemoryError e) {
      // It stays, and nothing of it is live.
    }
  }

  /** Gives back a run, or a block of it, of which nothing is live. */
  private void tidy(int run, int index) {
    int first = records.first(run);
    int last = first + records.count(run) - 1;
    if (free.isFree(first) && free.isFree(last) && freeIndices.freeEnd(first) > last) {
      changes.drop(run);
    } else if (freeIndices.isWhollyFree(index)) {
      int start = index & -FreeIndexDirectory.BLOCK_SIZE;
      int from = Math.max(start, first);
      int to = (int) Math.min((long) start + FreeIndexDirectory.BLOCK_SIZE, last + 1L);
      changes.carve(run, from - first, to - first, -1);
    }
  }
}
