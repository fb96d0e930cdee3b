// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.invoke.VarHandle;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.run.RunEntries;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * What any thread asks a store, lock-free: an index is what its slot says, or, if that is 0, what
 * the run says that covers it.
 *
 * <p>A live entry may go from its slot into a run: the run has it before the slot becomes 0, and
 * the slot becomes 0 before its cell goes. So a lookup that finds the slot 0 finds the run, and a
 * search that misses the cell finds the run too, unless the run came after it looked there: then
 * the version of the runs has changed, and it looks again.
 *
 * <p>An entry of a run gets a slot when its address is replaced. A lookup that found the slot 0,
 * and then nothing in the run, finds the slot when it looks again.
 */
final class EntryLookups {
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final RunEntries runEntries;
  private final Runs runs;
  private final SideWords side;

  /** Whether several entries may have an address, of which the lowest index is the answer. */
  private final boolean all;

  /**
   * What is asked of a store.
   *
   * @param all whether several entries may have an address
   */
  EntryLookups(StoreParts parts, boolean all) {
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.index = parts.index();
    this.runEntries = parts.runEntries();
    this.runs = parts.runs();
    this.side = parts.side();
    this.all = all;
  }

  int find(AddressKey key) {
    if (RunShape.isIpv4(key)) {
      return findIpv4(key.word(0));
    }
    while (true) {
      long version = runs.version();
      int found = index.find(key, entries.hash(key));
      if (found >= 0 && !all) {
        return found;
      }
      if (!Runs.isEmpty(version)) {
        found = least(found, runs.find(key));
      }
      if ((found >= 0 && !all) || runs.isStill(version)) {
        return found;
      }
    }
  }

  int findIpv4(long word) {
    long hash = entries.hashIpv4(word);
    while (true) {
      long version = runs.version();
      int found = index.findIpv4(word, hash);
      if (found >= 0 && !all) {
        return found;
      }
      if (!Runs.isEmpty(version)) {
        int inRuns = runs.findIpv4(word);
        found = least(found, inRuns);
        if (inRuns >= 0) {
          missed();
        }
      }
      if ((found >= 0 && !all) || runs.isStill(version)) {
        return found;
      }
    }
  }

  private static int least(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
  }

  boolean holds(int any, AddressKey key) {
    return entries.holds(any, key) || (slots.word(any) == 0 && runEntries.holds(any, key));
  }

  boolean load(int any, AddressKey into) {
    while (true) {
      long word = entries.load(any, into);
      if (SlotWord.isLive(word)) {
        return true;
      }
      long version = runs.version();
      if (word == 0 && runEntries.load(any, into)) {
        return true;
      }
      if (word != 0 || isStillNothing(any, version)) {
        into.clear();
        return false;
      }
    }
  }

  /**
   * Whether the slot of an index is still 0 and no run has changed, so that what was read of the
   * index in between was so at a moment.
   *
   * @param version that of the runs before it was looked for there
   */
  private boolean isStillNothing(int any, long version) {
    return slots.word(any) == 0 && runs.isStill(version);
  }

  long ipv4(int any) {
    long live = runs.live().ipv4(any);
    if (live >= 0) {
      return live;
    }
    long word = slots.wordIfOpen(any);
    if (SlotWord.state(word) == SlotWord.IPV4) {
      return SlotWord.body(word);
    }
    long address = word == 0 ? runEntries.ipv4(any) : -1;
    if (address >= 0) {
      missed();
    }
    return address;
  }

  /** An entry of a run was not in the intervals that are known. */
  private void missed() {
    if (runs.live().missed()) {
      runEntries.survey();
    }
  }

  boolean isLive(int any) {
    while (true) {
      long word = slots.word(any);
      if (word != 0) {
        return SlotWord.isLive(word);
      }
      long version = runs.version();
      if (runEntries.isLive(any)) {
        return true;
      }
      if (isStillNothing(any, version)) {
        return false;
      }
    }
  }

  long generation(int any) {
    while (true) {
      long word = slots.word(any);
      if (word != 0) {
        long generation = side.generation(any, word);
        if (generation >= 0) {
          return generation;
        }
        // The entry died, or got other data.
        continue;
      }
      long generation = runEntries.generation(any);
      if (slots.word(any) == 0) {
        return generation;
      }
    }
  }

  int count(int any) {
    while (true) {
      long slot = slots.word(any);
      if (slot != 0) {
        long word = sideWord(any, slot);
        if (word != SideWords.CHANGED) {
          return SlotWord.isLive(slot) ? 1 + SideWords.shares(word) : 0;
        }
        continue;
      }
      long version = runs.version();
      int count = countInRun(any);
      if (count > 0 || isStillNothing(any, version)) {
        return count;
      }
    }
  }

  /**
   * The side word that a slot which is not 0 speaks of; {@link SideWords#CHANGED} if it changed.
   */
  private long sideWord(int index, long slot) {
    return SlotWord.isLive(slot) && SlotWord.hasSide(slot) ? side.word(index, slot) : 0;
  }

  /**
   * Those of the run and its own make a sum only if they were there at the same time: the shares of
   * one run only rise, a run that others take the place of changes the version, and an entry that
   * died has no shares of the run.
   */
  private int countInRun(int index) {
    while (true) {
      long version = runs.version();
      int shares = runEntries.shares(index);
      if (shares < 0) {
        return 0;
      }
      long own = side.word(index);
      // The writer releases what it changes: who saw its own shares sees those of the run.
      VarHandle.acquireFence();
      if (runEntries.shares(index) == shares && runs.isStill(version)) {
        return 1 + SideWords.sharesInRun(own, shares);
      }
    }
  }

  boolean isFirewalled(int any) {
    while (true) {
      long slot = slots.word(any);
      if (slot != 0) {
        long word = sideWord(any, slot);
        if (word != SideWords.CHANGED) {
          return SideWords.isMarked(word);
        }
        continue;
      }
      // Another entry of a run has this index only after the version changed.
      long version = runs.version();
      boolean marked = SideWords.isMarked(side.word(any)) && runEntries.isLive(any);
      if (isStillNothing(any, version)) {
        return marked;
      }
    }
  }
}
