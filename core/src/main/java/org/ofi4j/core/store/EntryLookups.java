// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Lookups and searches of any thread, without locks: an index is what its slot says, or, if that is
 * 0, an entry of the run that covers it.
 *
 * <p>A reader of an index whose slot is 0 loads the slot, the runs, and both again. If neither has
 * changed, the index was an entry of the run, or unused, when the runs were loaded: as long as a
 * run covers an index, its slot does not become 0, and the slots of a run that comes become 0 after
 * it has come.
 *
 * <p>A search loads the runs, cells and slots, then the slots of the indices that runs have for the
 * address, and the runs again. An entry never goes from its slot to a run.
 */
final class EntryLookups {
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
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
    this.runs = parts.runs();
    this.side = parts.side();
    this.all = all;
  }

  int find(AddressKey key) {
    if (RunShape.isIpv4(key)) {
      return findIpv4(key.word(0));
    }
    while (true) {
      RunSnapshot present = runs.present();
      int found = index.find(key, entries.hash(key));
      if (found >= 0 && !all) {
        return found;
      }
      found = least(found, runs.find(present, key));
      if (runs.isPresent(present)) {
        return found;
      }
    }
  }

  int findIpv4(long word) {
    long hash = entries.hashIpv4(word);
    while (true) {
      RunSnapshot present = runs.present();
      int found = index.findIpv4(word, hash);
      if (found >= 0 && !all) {
        return found;
      }
      found = least(found, runs.findIpv4(present, word));
      if (runs.isPresent(present)) {
        return found;
      }
    }
  }

  private static int least(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
  }

  boolean holds(int any, AddressKey key) {
    while (true) {
      if (slots.word(any) != 0) {
        return entries.holds(any, key);
      }
      RunSnapshot present = runs.present();
      Run run = present.at(any);
      boolean same = run != null && run.holds(any, key);
      if (isStillOf(present, any)) {
        return same;
      }
    }
  }

  boolean load(int any, AddressKey into) {
    while (true) {
      long word = entries.load(any, into);
      if (SlotWord.isLive(word)) {
        return true;
      }
      if (word != 0) {
        into.clear();
        return false;
      }
      RunSnapshot present = runs.present();
      Run run = present.at(any);
      if (isStillOf(present, any)) {
        if (run == null) {
          into.clear();
        } else {
          run.load(any, into);
        }
        return run != null;
      }
    }
  }

  /** Whether the slot of an index is still 0, and all runs are the same. */
  private boolean isStillOf(RunSnapshot present, int any) {
    return slots.word(any) == 0 && runs.isPresent(present);
  }

  long ipv4(int any) {
    while (true) {
      long word = slots.wordIfOpen(any);
      if (word != 0) {
        return SlotWord.state(word) == SlotWord.IPV4 ? SlotWord.body(word) : -1;
      }
      RunSnapshot present = runs.present();
      Run run = present.at(any);
      if (isStillOf(present, any)) {
        return run == null ? -1 : run.ipv4(any);
      }
    }
  }

  boolean isLive(int any) {
    while (true) {
      long word = slots.word(any);
      if (word != 0) {
        return SlotWord.isLive(word);
      }
      RunSnapshot present = runs.present();
      boolean live = present.at(any) != null;
      if (isStillOf(present, any)) {
        return live;
      }
    }
  }

  boolean isUnused(int any) {
    long word = slots.word(any);
    return word == 0 ? !isLive(any) : SlotWord.state(word) == SlotWord.UNUSED;
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
      RunSnapshot present = runs.present();
      Run run = present.at(any);
      if (isStillOf(present, any)) {
        return run == null ? 0 : run.generation();
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
      RunSnapshot present = runs.present();
      Run run = present.at(any);
      long own = run == null ? 0 : side.word(any);
      if (isStillOf(present, any)) {
        return run == null ? 0 : 1 + SideWords.sharesInRun(own, run.shares());
      }
    }
  }

  /**
   * The side word that a slot which is not 0 speaks of; {@link SideWords#CHANGED} if it changed.
   */
  private long sideWord(int index, long slot) {
    return SlotWord.isLive(slot) && SlotWord.hasSide(slot) ? side.word(index, slot) : 0;
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
      RunSnapshot present = runs.present();
      boolean marked = present.at(any) != null && SideWords.isMarked(side.word(any));
      if (isStillOf(present, any)) {
        return marked;
      }
    }
  }
}
