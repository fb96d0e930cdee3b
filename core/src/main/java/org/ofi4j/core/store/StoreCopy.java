// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;

/**
 * Copies entries to a store that has none, each with its index, generation, shares and mark, and
 * reservations with theirs. What leads to entries is not copied but made anew, so a store whose
 * writer died at any moment gives one that is whole: of the old one only that is looked at which
 * readers go by, and what readers go by is whole at every moment. User ids are not copied, as those
 * of a named vector are not in its store. Numbers of keys stay, and so does who holds them.
 *
 * <p>For the one thread that may write to both stores.
 */
public final class StoreCopy {
  private final StoreParts from;
  private final EntryLookups lookups;
  private final StoreParts to;
  private final StoreChanges changes;

  /** Where an address may have several entries. */
  private final boolean several;

  private final boolean reuse;
  private final IntPredicate gone;
  private final AddressKey key = new AddressKey();

  /** The free extent that is not recorded yet. */
  private int freeFrom;

  private int freeTo;

  /**
   * Between two stores.
   *
   * @param from the store to be copied
   * @param to a store without entries
   * @param options what both are like
   */
  public StoreCopy(
      SegmentEntryStore from, SegmentEntryStore to, StoreOptions options, IntPredicate gone) {
    this.from = from.parts();
    this.lookups = from.lookups();
    this.to = to.parts();
    this.changes = to.changes();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.reuse = options.reuse();
    this.gone = gone;
  }

  /**
   * Copies everything.
   *
   * @throws OutOfMemoryError if memory ran out; the other store is of no use then
   */
  public void copy() {
    RunSnapshot runs = from.runs().present();
    int end = end(runs);
    to.freeIndices().restore(end);
    copyKeys();
    copyRuns(runs);
    if (from.counts().slots() > end / 2) {
      to.slots().expect(end);
    }
    int next = 0;
    for (int used = usedFrom(0); used != Integer.MAX_VALUE; used = usedFrom(used + 1)) {
      boolean isCopied = isCopied(from.slots().word(used));
      copySlot(used, isCopied);
      if (isCopied) {
        freeBetween(runs, next, used);
        next = used + 1;
      }
    }
    freeBetween(runs, next, end);
    recordFree();
    copySideOfRuns();
    to.counts().restoreMost(from.counts().mostLive());
    for (int number = 0; number < to.keys().count(); number++) {
      to.keys().clearIfUnused(number);
    }
    to.counts().publish();
    to.freeIndices().publish();
    to.cells().publish();
  }

  /** Copies the numbers of keys; what is under them is counted again. */
  private void copyKeys() {
    for (int number = 0; number < from.keys().count(); number++) {
      to.keys().prepare(number, from.keys().fingerprint(number));
      for (int participant = 0; participant < KeySlots.PARTICIPANTS; participant++) {
        if (from.keys().isHeldBy(number, participant)) {
          to.keys().hold(number, participant);
        }
      }
    }
  }

  /** The end of the indices in use: that in the superblock may be of before or after. */
  private int end(RunSnapshot runs) {
    int end = reuse ? 0 : from.freeIndices().presentEnd();
    for (int used = usedFrom(0); used != Integer.MAX_VALUE; used = usedFrom(used + 1)) {
      if (!reuse || isCopied(from.slots().word(used))) {
        end = Math.max(end, used + 1);
      }
    }
    for (int place = runs.count() - 1; place >= 0 && runs.get(place).end() > end; place--) {
      Run run = runs.get(place);
      for (int index = run.end() - 1; index >= Math.max(end, run.first()); index--) {
        if (!reuse || from.slots().word(index) == 0) {
          end = index + 1;
        }
      }
    }
    return end;
  }

  private int usedFrom(int index) {
    return from.slots().usedFrom(index, Integer.MAX_VALUE);
  }

  private boolean isCopied(long word) {
    return SlotWord.isLive(word)
        || (SlotWord.state(word) == SlotWord.RESERVED && !gone.test(SlotWord.owner(word)));
  }

  private void copyRuns(RunSnapshot runs) {
    List<Run> all = new ArrayList<>();
    for (int place = 0; place < runs.count(); place++) {
      all.add(runs.get(place));
      to.counts().add(runs.get(place).count());
    }
    to.runs().replace(0, Integer.MAX_VALUE, all, new int[all.size()]);
  }

  /** Copies a slot that is not 0, also if it says no more than a generation. */
  private void copySlot(int index, boolean isCopied) {
    changes.makeRoom(index);
    if (isCopied) {
      copyIndex(index);
    } else {
      to.slotChanges().free(index, SlotWord.generation(from.slots().word(index)));
    }
    Run run = to.runs().at(index);
    if (run != null) {
      to.runs().addSlot(run);
      to.counts().add(-1);
    }
  }

  /** Records what is free of an interval in which no slot is live or reserved. */
  private void freeBetween(RunSnapshot runs, int start, int stop) {
    int at = start;
    while (reuse && at < stop) {
      Run run = runs.at(at);
      int next;
      if (run == null) {
        int place = runs.firstFrom(at);
        next = place < runs.count() ? Math.min(stop, runs.get(place).first()) : stop;
        free(at, next);
      } else {
        next = Math.min(stop, run.end());
        int used = from.slots().usedFrom(at, next);
        while (used < next) {
          free(used, used + 1);
          used = from.slots().usedFrom(used + 1, next);
        }
      }
      at = next;
    }
  }

  private void free(int start, int stop) {
    if (start >= stop) {
      return;
    }
    if (freeTo != start) {
      recordFree();
      freeFrom = start;
    }
    freeTo = stop;
  }

  private void recordFree() {
    if (freeFrom < freeTo) {
      to.freeIndices().restoreFree(freeFrom, freeTo);
      freeFrom = freeTo;
    }
  }

  /** Copies a live or reserved slot; there is room for it. */
  private void copyIndex(int index) {
    long word = from.slots().word(index);
    long generation = lookups.generation(index);
    if (!SlotWord.isLive(word)) {
      to.slotChanges().reserve(index, generation, SlotWord.owner(word));
      to.counts().addReserved(1);
    } else {
      // A reservation keeps its generation when it becomes an entry.
      to.slotChanges().reserve(index, generation, 0);
      if (!lookups.load(index, key)) {
        throw new IllegalStateException("entry " + index + " has no address");
      }
      long hash = to.entries().hash(key);
      changes.show(index, key, hash, several ? to.index().find(key, hash) : -1);
      to.counts().addScattered(1);
      // Only vectors of several processes have numbers of keys in their memory.
      if (key.authKey() >= 0 && from.keys().count() > 0) {
        to.keys().countEntries(key.authKey(), 1);
      }
    }
    if (SlotWord.hasSide(word)) {
      copySide(index);
    }
  }

  /** Copies shares and mark of a live or reserved slot. */
  private void copySide(int index) {
    long word = from.side().word(index);
    if (!SideWords.isClear(word)) {
      copySide(index, SideWords.shares(word), SideWords.isMarked(word));
    }
  }

  private void copySide(int index, int shares, boolean marked) {
    long word = SideWords.withShares(to.side().word(index), shares);
    changes.setSide(index, marked ? SideWords.withMark(word) : word);
  }

  private void copySideOfRuns() {
    from.side()
        .forEach((index, word) -> {
          Run run = from.slots().word(index) == 0 ? from.runs().at(index) : null;
          if (run != null && !SideWords.isClear(word)) {
            int ofRun = run.shares();
            copySide(index, SideWords.sharesInRun(word, ofRun) - ofRun, SideWords.isMarked(word));
          }
        });
  }
}
