// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * The entries of runs, by index: what any thread reads of an index whose slot is 0, without
 * waiting.
 *
 * <p>A reader loads, in this order: the slot (0, or it has its answer), the version of the runs,
 * the run that covers the index and its count, whether the index is free, the count again, the slot
 * again, what it wants to know, and the version again. The writer stores in the opposite order:
 *
 * <ul>
 *   <li>an entry of a run dies by the store that records it as free, or by that of the count, and
 *       the count goes before free indices behind the end are forgotten;
 *   <li>an entry of a run gets another address by the store of its slot: from then on there is a
 *       hole;
 *   <li>whoever comes into a hole has its slot before the index ceases to be free, and the slot of
 *       a hole never becomes 0 while a run covers it;
 *   <li>scattered entries that become a run have it before their slots become 0.
 * </ul>
 *
 * <p>So a reader that sees a covered index not free, its slot still 0 after that and the version
 * unchanged knows that the index had the address of the run when it asked whether it was free. A
 * reader that finds nothing, and the slot still 0 after that, knows that there was a moment when
 * nothing was there: a live entry goes from a slot to a run, or gets a slot with its next address.
 */
public final class RunEntries implements Runs.Holes {
  /** So many scattered entries and free extents in a row are looked at. */
  private static final int FEW_LOOKS = 64;

  /** So many runs are looked at by {@link #survey}. */
  public static final int MOST_SURVEYED = 64;

  /** After so many looks it leaves out whatever has holes. */
  private static final int MOST_LOOKS = 4 * FreeIndexDirectory.BLOCK_SIZE;

  private final Slots slots;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final Runs runs;
  private final RunRecords records;

  /**
   * The entries of runs.
   *
   * @param slots the slots, which go before runs
   * @param several whether several entries may have an address
   */
  public RunEntries(
      SlabAllocator allocator, long seed, Slots slots, FreeIndices freeIndices, boolean several) {
    this.slots = slots;
    this.freeIndices = freeIndices;
    this.free = freeIndices.lookups();
    this.runs = new Runs(allocator, seed, this, several);
    this.records = runs.records();
  }

  public Runs runs() {
    return runs;
  }

  @Override
  public boolean isHole(int index) {
    return free.isFree(index) || slots.wordIfOpen(index) != 0;
  }

  /**
   * The run whose address an index has.
   *
   * @return its record, to be believed if the version is still the same after all that was read; 0
   *     if there is none; negative if the version changed
   */
  private int runOf(long version, int index) {
    int run = runs.covering(version, index);
    return run > 0 && (isHole(index) || !records.covers(run, index)) ? 0 : run;
  }

  /**
   * Looks at all runs for {@link LiveIntervals}, unless there are too many; any thread may, where
   * several processes write, and else nobody but who makes the store. What is free is asked before
   * what has a slot, as an index stops being free after its slot has come.
   */
  public void survey() {
    long deaths = runs.live().deaths();
    LiveIntervals found = new LiveIntervals();
    long version = runs.version();
    int looks = LiveIntervals.areSettled(deaths) ? survey(version, found) : 0;
    // A run that holes were cut out of, for another one to come there, has none any more, though
    // nothing died: so the runs are those of the beginning, or nothing was seen.
    boolean still = looks >= 0 && runs.isStill(version) && runs.live().deaths() == deaths;
    runs.live().see(deaths, still ? found : null, Math.max(looks, 0));
    runs.view();
  }

  /** Answers how many looks it took; less than 0 if runs came or went meanwhile. */
  private int survey(long version, LiveIntervals found) {
    int looks = 0;
    long last = Integer.MAX_VALUE;
    for (int i = 0; i < MOST_SURVEYED; i++) {
      int run = runs.byIndex().floor(version, last);
      if (run <= 0) {
        return run < 0 ? -1 : looks;
      }
      int first = records.first(run);
      long end = Math.min((long) first + records.count(run), Integer.MAX_VALUE);
      RunShape shape = records.shape(run);
      if (!runs.isStill(version)) {
        return -1;
      }
      if (first < 0 || first > last) {
        return looks;
      }
      if (!shape.ipv6() && shape.inner() > 0 && first < end) {
        looks = survey(shape, first, (int) end, found, looks);
      }
      last = first - 1L;
    }
    return looks;
  }

  private int survey(RunShape shape, int first, int end, LiveIntervals found, int before) {
    int looks = before;
    int live = first;
    int at = first;
    while (at < end) {
      int next = (int) Math.min(end, (at | FreeIndexDirectory.BLOCK_SIZE - 1) + 1L);
      looks++;
      if (free.mayBeFree(at) || slots.areUsed(at, next)) {
        boolean tooMany = looks > MOST_LOOKS;
        looks += tooMany ? 0 : next - at;
        for (; at < next; at++) {
          if (tooMany || isHole(at)) {
            found.add(shape, first, live, at);
            live = at + 1;
          }
        }
      }
      at = next;
    }
    found.add(shape, first, live, end);
    return looks;
  }

  /** The IPv4 address at an index whose slot is 0, {@code address << 16 | port}, or -1. */
  public long ipv4(int index) {
    long present = runs.version();
    RunViews few = runs.views();
    if (few.areOf(present)) {
      long address = few.ipv4(index, this);
      if (runs.isStill(present)) {
        return address;
      }
    }
    while (true) {
      long version = runs.version();
      int run = runOf(version, index);
      long address = run > 0 ? records.ipv4(run, index) : -1;
      if (isRead(run, version)) {
        return address;
      }
    }
  }

  /** Whether what was read of a run, or that there is none, was so at a version. */
  private boolean isRead(int run, long version) {
    return run >= 0 && runs.isStill(version);
  }

  /**
   * Reads the address at an index.
   *
   * @param index an index whose slot is 0
   * @param into becomes the address; unchanged if no run has it
   * @return whether a run has it
   */
  public boolean load(int index, AddressKey into) {
    while (true) {
      long version = runs.version();
      int run = runOf(version, index);
      if (run > 0) {
        records.load(run, index, into);
      }
      if (isRead(run, version)) {
        return run > 0;
      }
    }
  }

  /** Whether an index whose slot is 0 has a certain address. */
  public boolean holds(int index, AddressKey key) {
    while (true) {
      long version = runs.version();
      int run = runOf(version, index);
      boolean same = run > 0 && runs.holds(run, index, key);
      if (isRead(run, version)) {
        return same;
      }
    }
  }

  /** Whether an index whose slot is 0 is an entry of a run. */
  public boolean isLive(int index) {
    return shares(index) >= 0;
  }

  /** The shares that all entries of a run have of an index whose slot is 0; -1 if it is dead. */
  public int shares(int index) {
    while (true) {
      long version = runs.version();
      int run = runOf(version, index);
      int shares = run > 0 ? records.shares(run) : -1;
      if (isRead(run, version)) {
        return shares;
      }
    }
  }

  /** The generation of an index whose slot is 0: its own, or the next one if it is dead. */
  public long generation(int index) {
    while (true) {
      long version = runs.version();
      int run = runOf(version, index);
      long generation =
          run > 0 ? records.generation(run) : index < 0 ? 0 : free.nextGeneration(index, 1);
      if (isRead(run, version)) {
        return generation;
      }
    }
  }

  // For the writer.

  /** The run that an index, whose slot is 0, is a live entry of, or 0. */
  public int at(int index) {
    return Math.max(runOf(runs.version(), index), 0);
  }

  /** Whether an index is neither live nor reserved. */
  public boolean isUnused(int index) {
    long word = slots.word(index);
    return word == 0 ? at(index) == 0 : SlotWord.state(word) == SlotWord.UNUSED;
  }

  /**
   * How many indices from one on, all covered by a run, are holes.
   *
   * @param index the first one
   * @param end the last one of interest, plus 1
   */
  int holes(int index, int end) {
    return holes(index, end, Integer.MAX_VALUE);
  }

  private int holes(int index, int end, int mostLooks) {
    int at = index;
    for (int looks = 0; at < end && looks < mostLooks; looks++) {
      if (free.isFree(at)) {
        at = Math.min(end, freeIndices.freeEnd(at));
      } else if (slots.word(at) != 0) {
        at++;
      } else {
        break;
      }
    }
    return at - index;
  }

  /**
   * Whether indices that a run covers are all holes, as far as a few looks tell.
   *
   * @param index the first one
   * @param end the last one, plus 1
   * @return false also if it would take long to know
   */
  public boolean areHoles(int index, int end) {
    return holes(index, end, FEW_LOOKS) == end - index;
  }

  /**
   * How many indices from one on, all covered by a run, are none.
   *
   * @param index the first one
   * @param end the last one of interest, plus 1
   */
  int liveFrom(int index, int end) {
    int stop = Math.min(end, freeIndices.recordedFrom(index));
    return slots.usedFrom(index, stop) - index;
  }
}
