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
 * former. A check compares what is stored with what is derived here.
 *
 * <p>Readers go on: what they use is valid after every store. The new hash table takes the place of
 * the one before by the store of its view.
 *
 * <p>For the one thread that writes.
 */
public final class Recovery {
  /** Takes intervals of indices. */
  public interface Interval {
    /** Takes an interval from its first index to one more than its last one. */
    void take(int from, int to);
  }

  private final StoreParts parts;
  private final Slots slots;
  private final Entries entries;
  private final RunSnapshot runs;

  /** Whether an address may have several entries. */
  private final boolean several;

  private final boolean reuse;
  private final AddressKey key = new AddressKey();

  /** Live entries without those of runs. */
  private int scattered;

  private int inRuns;
  private int reserved;

  /** One more than the largest index that is live or reserved. */
  private int usedEnd;

  /** One more than the largest index that has a slot which is not 0. */
  private int slotEnd;

  private final int[] entriesOfKeys;

  public Recovery(StoreParts parts, StoreOptions options) {
    this.parts = parts;
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.runs = parts.runs().present();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.reuse = options.reuse();
    this.entriesOfKeys = new int[parts.keys().count()];
    runs.all().forEach(run -> inRuns += run.count());
  }

  /**
   * Derives and stores it all. All slots have been counted, and all free memory of the store is
   * known to be free.
   *
   * @throws OutOfMemoryError if memory ran out; readers find what they found before
   */
  public void recover() {
    parts.runs().restore();
    parts.side().restore(this::sharesOfRun);
    parts.keys().restore(entriesOfKeys);
    rebuildCells();
    restoreFreeIndices();
    parts.counts().restore(live(), scattered, reserved);
    parts.counts().publish();
    parts.freeIndices().publish();
    parts.cells().publish();
  }

  private int sharesOfRun(int index) {
    Run run = runs.at(index);
    return run == null ? -1 : run.shares();
  }

  /** Counts all slots that are not 0, and entries under keys. */
  public void countSlots() {
    countSlots(this::countKey);
  }

  /** Counts all slots that are not 0; a visitor that takes each of them counts their keys. */
  public void countSlots(Slots.Visitor visitor) {
    slots.forEachUsed((index, word) -> {
      boolean isLive = SlotWord.isLive(word);
      boolean isReserved = SlotWord.state(word) == SlotWord.RESERVED;
      scattered += isLive ? 1 : 0;
      reserved += isReserved ? 1 : 0;
      inRuns -= runs.at(index) == null ? 0 : 1;
      usedEnd = isLive || isReserved ? index + 1 : usedEnd;
      slotEnd = index + 1;
      visitor.visit(index, word);
    });
  }

  private void countKey(int index, long word) {
    if (entriesOfKeys.length > 0 && SlotWord.isLive(word)) {
      entries.load(index, key);
      countKey(key.authKey());
    }
  }

  /** Counts an entry under a key; does nothing if no key has the number. */
  public void countKey(int number) {
    if (number >= 0 && number < entriesOfKeys.length) {
      entriesOfKeys[number]++;
    }
  }

  /** Returns the number of live entries. */
  public int live() {
    return scattered + inRuns;
  }

  /** Returns the number of live entries that have slots. */
  public int scattered() {
    return scattered;
  }

  public int reserved() {
    return reserved;
  }

  /** Returns the number of runs. */
  public int runs() {
    return runs.count();
  }

  /** Returns the number of entries under a key. */
  public int entriesOf(int key) {
    return entriesOfKeys[key];
  }

  private void rebuildCells() {
    parts.heap().restore();
    parts
        .cells()
        .rebuild(
            scattered,
            usedEnd,
            table -> slots.forEachLive((index, word) -> addCell(table, index, word)));
  }

  private void addCell(HashTable.Rebuild table, int index, long word) {
    if (!several) {
      table.add(entries.hashOf(index, word), index);
      return;
    }
    entries.load(index, key);
    int lowest = table.addIfAbsent(entries.hash(key), index, entries, key);
    if (lowest >= 0) {
      parts.heap().ensure(lowest);
      parts.heap().ensure(index);
      parts.heap().insert(lowest, index);
    }
  }

  private void restoreFreeIndices() {
    FreeIndices free = parts.freeIndices();
    int end = end();
    free.restore(end);
    slots.forEachUsed((index, word) -> {
      if (index < end) {
        free.prepare(index, 1);
      }
    });
    forEachFree(free::restoreFree);
  }

  /**
   * Returns the end of the indices in use; if none is used again, of those that were ever used. All
   * slots have been counted.
   */
  public int end() {
    int end = reuse ? usedEnd : Math.max(slotEnd, parts.freeIndices().presentEnd());
    for (Run run : runs.all()) {
      for (int index = run.end() - 1; index >= Math.max(end, run.first()); index--) {
        if (!reuse || slots.word(index) == 0) {
          end = index + 1;
        }
      }
    }
    return end;
  }

  /** Takes intervals of all indices that are to be used again, after all slots were counted. */
  public void forEachFree(Interval free) {
    int end = reuse ? end() : 0;
    int[] next = {0};
    slots.forEachUsed((index, word) -> {
      takeFree(next[0], Math.min(index, end), free);
      if (index < end && SlotWord.state(word) == SlotWord.UNUSED) {
        free.take(index, index + 1);
      }
      next[0] = index + 1;
    });
    takeFree(next[0], end, free);
  }

  /** Takes indices of an interval, all of whose slots are 0, that are not entries of runs. */
  private void takeFree(int start, int stop, Interval free) {
    int at = start;
    while (at < stop) {
      Run run = runs.at(at);
      if (run != null) {
        at = run.end();
        continue;
      }
      int place = runs.firstFrom(at);
      int next = place < runs.count() ? Math.min(stop, runs.get(place).first()) : stop;
      free.take(at, next);
      at = next;
    }
  }
}
