// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.run.RunEntries;
import org.ofi4j.core.run.RunRemoval;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Gives entries other addresses. For the one thread that writes.
 *
 * <p>The store of the slot does it: the cell of the new address comes before, that of the old one
 * goes after. So a thread that stops anywhere leaves the entry with one of both, and a reader who
 * sees the slot change looks again. An entry of a run gets a slot of its own, which goes before the
 * run, and the run has a hole there. The generation stays, as it tells entries apart, not their
 * addresses.
 */
final class Replacements {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int INVALID = -Errno.EINVAL.number();
  private static final int ALREADY = -Errno.EALREADY.number();

  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final FreeIndices freeIndices;
  private final RunEntries runEntries;
  private final Runs runs;
  private final EntryCounts counts;
  private final SingleInsertions singles;
  private final ScatteredEntries scattered;
  private final RunRemoval removal;

  Replacements(
      StoreParts parts, SingleInsertions singles, ScatteredEntries scattered, RunRemoval removal) {
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.index = parts.index();
    this.freeIndices = parts.freeIndices();
    this.runEntries = parts.runEntries();
    this.runs = parts.runs();
    this.counts = parts.counts();
    this.singles = singles;
    this.scattered = scattered;
    this.removal = removal;
  }

  /** See {@link EntryStore#replace}. */
  int replace(int live, AddressKey key) {
    long word = slots.word(live);
    int run = word == 0 ? runEntries.at(live) : 0;
    if (word == 0 ? run == 0 : !SlotWord.isLive(word)) {
      return INVALID;
    }
    if (word == 0 ? runEntries.holds(live, key) : entries.holds(live, key)) {
      return 0;
    }
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      if (singles.present(key, inCells) >= 0) {
        return ALREADY;
      }
      if (word == 0) {
        leaveRun(run, live, key, hash, inCells);
      } else {
        scattered.replace(live, key, hash, inCells);
      }
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
    // The address may have gone from entry to entry behind a search, and come back.
    runs.renew();
    return 0;
  }

  private void leaveRun(int run, int live, AddressKey key, long hash, int inCells) {
    // When it dies, its index is to be recorded as free.
    freeIndices.prepare(live);
    removal.exclude(live);
    long generation = runs.records().generation(run);
    scattered.leaveRun(live, generation, runs.records().shares(run), key, hash, inCells);
    counts.addLeftRun();
  }
}
