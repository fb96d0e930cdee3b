// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Derives everything else from slots, records, side words and runs: the hash table, the entries
 * that share an address, free indices and counts. A writer that died at any moment left the former
 * valid, as readers use them, and the latter in any state. A copy of a store begins with the
 * former.
 *
 * <p>Readers go on: what they use is valid after every store. The new hash table takes the place of
 * the one before by the store of its view.
 *
 * <p>For the one thread that writes.
 */
public final class Recovery {
  private final StoreParts parts;
  private final Slots slots;
  private final Entries entries;

  /** Whether an address may have several entries. */
  private final boolean several;

  private final boolean reuse;
  private final AddressKey key = new AddressKey();

  private int live;
  private int reserved;

  /** One more than the largest index that is live or reserved. */
  private int usedEnd;

  /** One more than the largest index that has a slot which is not 0. */
  private int slotEnd;

  public Recovery(StoreParts parts, StoreOptions options) {
    this.parts = parts;
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.reuse = options.reuse();
  }

  /**
   * Derives and stores it all. All free memory of the store is known to be free.
   *
   * @throws OutOfMemoryError if memory ran out; readers find what they found before
   */
  public void recover() {
    int inRuns = parts.runs().restore();
    parts.side().restore(this::sharesOfRun);
    countSlots();
    rebuildCells();
    restoreFreeIndices();
    parts.counts().restore(live + inRuns, live, reserved);
    parts.counts().publish();
    parts.freeIndices().publish();
    parts.cells().publish();
  }

  private int sharesOfRun(int index) {
    Run run = parts.runs().at(index);
    return run == null ? -1 : run.shares();
  }

  private void countSlots() {
    int[] entriesOfKeys = new int[parts.keys().count()];
    slots.forEachUsed((index, word) -> {
      slotEnd = index + 1;
      if (SlotWord.isLive(word)) {
        live++;
        usedEnd = index + 1;
        if (entriesOfKeys.length > 0) {
          countKey(index, entriesOfKeys);
        }
      } else if (SlotWord.state(word) == SlotWord.RESERVED) {
        reserved++;
        usedEnd = index + 1;
      }
    });
    parts.keys().restore(entriesOfKeys);
  }

  private void countKey(int used, int[] entriesOfKeys) {
    entries.load(used, key);
    if (key.authKey() >= 0) {
      entriesOfKeys[key.authKey()]++;
    }
  }

  private void rebuildCells() {
    parts.heap().restore();
    parts
        .cells()
        .rebuild(
            live,
            usedEnd,
            table -> slots.forEachLive((index, word) -> addCell(table, index, word)));
  }

  private void addCell(HashTable.Rebuild table, int index, long word) {
    if (!several) {
      table.add(entries.hashOf(word), index);
      return;
    }
    entries.load(index, key);
    int lowest = table.addIfAbsent(entries.hash(key), index, parts.index(), key);
    if (lowest >= 0) {
      parts.heap().ensure(lowest);
      parts.heap().ensure(index);
      parts.heap().insert(lowest, index);
    }
  }

  private void restoreFreeIndices() {
    RunSnapshot runs = parts.runs().present();
    FreeIndices free = parts.freeIndices();
    int end = end(runs);
    free.restore(end);
    if (!reuse) {
      return;
    }
    int[] next = {0};
    slots.forEachUsed((index, word) -> {
      if (index < end) {
        free.prepare(index, 1);
      }
      if (SlotWord.state(word) != SlotWord.UNUSED) {
        freeBetween(runs, next[0], index);
        next[0] = index + 1;
      }
    });
    freeBetween(runs, next[0], end);
  }

  /** The end of the indices in use; if none is used again, of those that were ever used. */
  private int end(RunSnapshot runs) {
    int end = reuse ? usedEnd : Math.max(slotEnd, parts.freeIndices().presentEnd());
    for (int place = runs.count() - 1; place >= 0 && runs.get(place).end() > end; place--) {
      Run run = runs.get(place);
      for (int index = run.end() - 1; index >= Math.max(end, run.first()); index--) {
        if (!reuse || slots.word(index) == 0) {
          end = index + 1;
        }
      }
    }
    return end;
  }

  /** Makes indices of an interval free that are not entries of runs; none has a used slot. */
  private void freeBetween(RunSnapshot runs, int start, int stop) {
    FreeIndices free = parts.freeIndices();
    int at = start;
    while (at < stop) {
      Run run = runs.at(at);
      int next;
      if (run == null) {
        int place = runs.firstFrom(at);
        next = place < runs.count() ? Math.min(stop, runs.get(place).first()) : stop;
        free.restoreFree(at, next);
      } else {
        next = Math.min(stop, run.end());
        int used = slots.usedFrom(at, next);
        while (used < next) {
          free.restoreFree(used, used + 1);
          used = slots.usedFrom(used + 1, next);
        }
      }
      at = next;
    }
  }
}
