// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashLookups;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
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
  // The questions about an index. The compiler sees through numbers best.
  // Questions about an index: those that are answered yes or no by 1 or 0.
  static final int HOLDS = 0;
  static final int LOAD = 1;
  static final int IPV4 = 2;
  static final int IS_LIVE = 3;
  static final int IS_UNUSED = 4;
  static final int GENERATION = 5;
  static final int COUNT = 6;
  static final int IS_FIREWALLED = 7;

  /** The answer for an index that has no IPv4 address; not {@link SideWords#CHANGED}. */
  private static final long NO_IPV4 = -2;

  private final Slots slots;
  private final Entries entries;
  private final HashLookups cells;
  private final Runs runs;
  private final SideWords side;
  private final FreeIndices freeIndices;

  /** Whether several entries may have an address, of which the lowest index is the answer. */
  private final boolean all;

  /**
   * Lookups and searches in a store.
   *
   * @param all whether several entries may have an address
   */
  EntryLookups(StoreParts parts, boolean all) {
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.cells = parts.cells().lookups();
    this.runs = parts.runs();
    this.side = parts.side();
    this.freeIndices = parts.freeIndices();
    this.all = all;
  }

  int find(AddressKey key) {
    return key.isIpv4() ? findIpv4(key.word(0)) : find(key, 0, entries.hash(key));
  }

  int findIpv4(long word) {
    return find(null, word, entries.hashIpv4(word));
  }

  /** Finds an address of any kind; without a key, that of IPv4. */
  private int find(@Nullable AddressKey key, long ipv4, long hash) {
    while (true) {
      RunSnapshot present = runs.present();
      int found = cells.find(hash, entries, key, ipv4);
      if (found >= 0 && !all) {
        return found;
      }
      int inRun = key == null ? runs.findIpv4(present, ipv4) : runs.find(present, key);
      if (runs.isPresent(present)) {
        return found < 0 || (inRun >= 0 && inRun < found) ? inRun : found;
      }
    }
  }

  /**
   * Answers a question from the slot of an index, or from its run if the slot stays 0.
   *
   * @param any any number
   * @param key an address to compare, or to read into
   */
  long ask(int question, int any, AddressKey key) {
    while (true) {
      long slot = slots.word(any);
      RunSnapshot present = slot != 0 ? null : runs.present();
      Run run = present == null ? null : present.at(any);
      long answer = answer(question, any, slot, run, key);
      boolean isRight =
          present == null
              ? answer != SideWords.CHANGED
              : slots.word(any) == 0 && runs.isPresent(present);
      if (isRight) {
        return answer;
      }
    }
  }

  /**
   * Answers a question from the slot of an index; if that is 0, from its run, if there is one.
   *
   * @param key an address to compare, or to read into
   * @return {@link SideWords#CHANGED} if the slot is not 0 and changed
   */
  private long answer(int question, int any, long slot, @Nullable Run run, AddressKey key) {
    return switch (question) {
      case HOLDS ->
          bit(slot != 0 ? entries.holds(any, slot, key, 0) : run != null && run.holds(any, key));
      case LOAD -> load(any, slot, run, key);
      case IPV4 ->
          SlotWord.state(slot) == SlotWord.IPV4
              ? SlotWord.body(slot)
              : run == null ? NO_IPV4 : run.ipv4(any);
      case IS_LIVE -> bit(SlotWord.isLive(slot) || run != null);
      case IS_UNUSED -> bit(SlotWord.state(slot) == SlotWord.UNUSED && run == null);
      case GENERATION ->
          slot != 0 ? side.generation(any, slot) : run == null ? 0 : run.generation();
      default -> {
        long word = sideWord(any, slot, run);
        if (word == SideWords.CHANGED) {
          yield word;
        }
        if (question == IS_FIREWALLED) {
          yield bit(SideWords.isMarked(word));
        }
        yield run != null
            ? 1 + SideWords.sharesInRun(word, run.shares())
            : SlotWord.isLive(slot) ? 1 + SideWords.shares(word) : 0;
      }
    };
  }

  private static long bit(boolean answer) {
    return answer ? 1 : 0;
  }

  private long load(int any, long slot, @Nullable Run run, AddressKey into) {
    if (slot != 0) {
      long word = entries.load(any, into);
      return word == 0 ? SideWords.CHANGED : bit(SlotWord.isLive(word));
    }
    if (run != null) {
      run.load(any, into);
    }
    return bit(run != null);
  }

  /** The side word of an entry, 0 if it has none; {@link SideWords#CHANGED} if its slot changed. */
  private long sideWord(int any, long slot, @Nullable Run run) {
    if (run != null) {
      return side.word(any);
    }
    return SlotWord.isLive(slot) && SlotWord.hasSide(slot) ? side.word(any, slot) : 0;
  }

  /**
   * Finds the next live index; see {@link EntryStore#liveFrom}. Passes over indices that neither
   * have slots nor are in runs, and ends where the indices in use end. It finds entries that live
   * all the while; others may be found or not.
   *
   * @param isLive {@link EntryStore#isLive}, which tests count
   */
  int liveFrom(int first, int last, int stride, IntPredicate isLive) {
    long stop = Math.min(last, freeIndices.presentEnd() - 1L);
    long at = first;
    while (at <= stop) {
      if (isLive.test((int) at)) {
        return (int) at;
      }
      long next = Math.max(at + 1, nextUsed((int) at, (int) stop));
      at = first + Math.ceilDiv(next - first, stride) * stride;
    }
    return -1;
  }

  /** The first index from one on that has a page of slots, or is in a run. */
  private long nextUsed(int any, int last) {
    if (slots.page(any) != null) {
      return any;
    }
    RunSnapshot present = runs.present();
    int place = present.firstFrom(any);
    int end = place < present.count() ? Math.min(last, present.get(place).first()) : last;
    return present.at(any) != null ? any : slots.nextPageFrom(any, end);
  }
}
