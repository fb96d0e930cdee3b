// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.IntPredicate;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.run.RunRecords;
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
    int end = end();
    to.freeIndices().restore(end);
    to.freeIndices().copyGenerations(from.freeIndices());
    copyKeys();
    RunRecords records = from.runs().records();
    for (int run = from.runs().next(0); run != 0; run = after(run)) {
      if (records.count(run) > 0) {
        copyRun(run);
      }
    }
    if (from.counts().slots() > end / 2) {
      to.slots().expect(end);
    }
    int at = 0;
    for (int run = from.runs().next(0); run != 0; run = after(run)) {
      int first = records.first(run);
      int count = records.count(run);
      if (count > 0) {
        copyScattered(at, first);
        at = first + count;
        copyInRun(first, at);
      }
    }
    copyScattered(at, end);
    recordFree();
    copySideOfRuns();
    copyGenerations();
    to.counts().restoreMost(from.counts().mostLive());
    for (int number = 0; number < to.keys().count(); number++) {
      to.keys().clearIfUnused(number);
    }
    to.counts().publish();
  }

  /** Copies the numbers of keys; what is under them is counted anew. */
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

  private int after(int run) {
    return from.runs().behind(from.runs().records().first(run));
  }

  /** One more than the last index in use: what the root says may be of before or after. */
  private int end() {
    int end = reuse ? 0 : from.freeIndices().end();
    RunRecords records = from.runs().records();
    for (int run = from.runs().next(0); run != 0; run = after(run)) {
      if (records.count(run) > 0) {
        end = Math.max(end, records.first(run) + records.count(run));
      }
    }
    for (int used = usedFrom(0); used != Integer.MAX_VALUE; used = usedFrom(used + 1)) {
      if (isCopied(from.slots().word(used))) {
        end = Math.max(end, used + 1);
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

  private void copyRun(int run) {
    RunRecords records = from.runs().records();
    int count = records.count(run);
    int reach = Math.max(count, records.reach(run));
    int first = records.first(run);
    int made = changes.runs().create(first, records.shape(run), reach, records.generation(run));
    changes.runs().grow(made, count);
    to.runs().records().setShares(made, records.shares(run));
    to.counts().add(count);
  }

  /** Copies what has slots, where no run is. */
  private void copyScattered(int start, int stop) {
    int at = start;
    while (at < stop) {
      int used = from.slots().usedFrom(at, stop);
      while (used < stop && !isCopied(from.slots().word(used))) {
        used = from.slots().usedFrom(used + 1, stop);
      }
      if (reuse) {
        free(at, used);
      }
      if (used < stop) {
        copyIndex(used);
        used++;
      }
      at = used;
    }
  }

  /** Copies what is in the holes of a run. */
  private void copyInRun(int first, int stop) {
    for (int at = first; at < stop; ) {
      int block = (int) Math.min(stop, ((long) at | FreeIndexDirectory.BLOCK_SIZE - 1) + 1);
      if (!from.freeIndices().lookups().mayBeFree(at)) {
        int used = from.slots().usedFrom(at, block);
        if (used < block) {
          copyHole(used);
          used++;
        }
        at = used;
      } else {
        for (; at < block; at++) {
          if (from.slots().word(at) != 0) {
            copyHole(at);
          } else if (from.freeIndices().lookups().isFree(at)) {
            to.counts().add(-1);
            free(at, at + 1);
          }
        }
      }
    }
  }

  /** An index of a run that has a slot, which goes before. */
  private void copyHole(int index) {
    to.counts().add(-1);
    if (isCopied(from.slots().word(index))) {
      copyIndex(index);
    } else {
      free(index, index + 1);
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

  /** Copies a live or reserved slot. */
  private void copyIndex(int index) {
    long word = from.slots().word(index);
    long generation = lookups.generation(index);
    to.freeIndices().prepare(index);
    changes.makeRoom(index);
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
          int run = from.slots().word(index) == 0 ? from.runEntries().at(index) : 0;
          if (run != 0 && !SideWords.isClear(word)) {
            int ofRun = from.runs().records().shares(run);
            copySide(index, SideWords.sharesInRun(word, ofRun) - ofRun, SideWords.isMarked(word));
          }
        });
  }

  /** What died left its generation in its slot. */
  private void copyGenerations() {
    for (int used = usedFrom(0); used != Integer.MAX_VALUE; used = usedFrom(used + 1)) {
      long word = from.slots().word(used);
      long generation = isCopied(word) ? 0 : SlotWord.generation(word);
      if (generation != 0) {
        changes.makeRoom(used);
        to.slotChanges().free(used, generation);
      }
    }
  }
}
