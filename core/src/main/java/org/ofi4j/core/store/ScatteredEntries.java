// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.RunEntries;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.Generations;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Entries that have slots: how they come and go. For the one thread that writes.
 *
 * <p>An entry takes all the memory it will need, then fills record, side record and cell, and last
 * stores the slot: with that store it is there, for lookups and searches alike. It dies by the
 * store of the slot, and what it had is cleaned up after that.
 */
final class ScatteredEntries {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final Slots slots;
  private final SlotChanges changes;
  private final Entries entries;
  private final HashTable cells;
  private final FreeIndices freeIndices;
  private final SideRecords side;
  private final DuplicateHeap heap;
  private final RunEntries runEntries;
  private final Runs runs;
  private final Generations generations;
  private final boolean several;

  /** Whose reservations these are; 0 where nobody else could have any. */
  private int owner;

  /**
   * Changes of the slots of a store.
   *
   * @param several whether an address may have several entries: then its cell must be taken away or
   *     given to the next one when one dies, else it is left
   */
  ScatteredEntries(StoreParts parts, boolean several) {
    this.slots = parts.slots();
    this.changes = parts.slotChanges();
    this.entries = parts.entries();
    this.cells = parts.cells();
    this.freeIndices = parts.freeIndices();
    this.side = parts.side();
    this.heap = new DuplicateHeap(side);
    this.runEntries = parts.runEntries();
    this.runs = parts.runs();
    this.generations = parts.generations();
    this.several = several;
  }

  /**
   * Gives an index a slot, with few others if a run covers it.
   *
   * @param index the next index to be used, or an entry of a run, {@link FreeIndices#prepare
   *     prepared}
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void makeRoom(int index) {
    if (slots.page(index) == null) {
      slots.ensure(index, index < freeIndices.end() && runs.at(index) != 0);
    }
  }

  /** Makes a reservation of the next index to be used, which has a slot. */
  void reserve(int fresh) {
    changes.reserve(fresh, generations.next(fresh), owner);
  }

  /** Says who makes reservations from now on. */
  void reserveFor(int participant) {
    owner = participant;
  }

  /** Ends a reservation; its index is unused after that, and not yet released. */
  void cancel(int reserved, long word) {
    changes.free(reserved, SlotWord.generation(word));
    if (SlotWord.hasSide(word)) {
      side.detach(reserved);
    }
  }

  /**
   * Makes an entry of an index.
   *
   * @param fresh an unused or reserved index that has a slot
   * @param present the lowest index that has the address already, or -1
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void show(int fresh, AddressKey key, long hash, int present) {
    long before = slots.word(fresh);
    long generation =
        SlotWord.state(before) == SlotWord.RESERVED
            ? SlotWord.generation(before)
            : generations.next(fresh);
    show(fresh, generation, SlotWord.hasSide(before), key, hash, present);
  }

  /**
   * Gives an entry of a run a slot, and another address with it: as the slot goes before the run,
   * all ask the run until it is there, and nobody after that.
   *
   * @param live a live index whose slot is 0, {@link FreeIndices#prepare prepared}
   * @param generation its generation, which stays
   * @param shares those of the run, which are its own from now on
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void leaveRun(int live, long generation, int shares, AddressKey key, long hash, int present) {
    makeRoom(live);
    if (shares > 0) {
      attach(live);
      side.setRunShares(live, shares);
    }
    show(live, generation, side.record(live) >= 0, key, hash, present);
  }

  private void show(
      int fresh, long generation, boolean hadSide, AddressKey key, long hash, int present) {
    boolean attach = !hadSide && (present >= 0 || generations.needsRecord(fresh, generation));
    long word = entries.encode(key, hash);
    try {
      if (attach) {
        side.attach(fresh);
      }
      try {
        if (present >= 0) {
          attach(present);
        }
        cells.prepare(hash, fresh, present < 0);
      } catch (OutOfMemoryError e) {
        if (attach) {
          side.detach(fresh);
        }
        throw e;
      }
    } catch (OutOfMemoryError e) {
      entries.discard(word);
      throw e;
    }
    // Nothing below can fail.
    boolean hasSide = attach || hadSide;
    if (hasSide) {
      side.setGeneration(fresh, generation);
    }
    if (present < 0) {
      cells.put(hash, fresh);
    }
    changes.show(fresh, word, generation, hasSide);
    if (present >= 0 && heap.insert(present, fresh) == fresh) {
      cells.replace(hash, present, fresh);
    }
  }

  /**
   * Gives an entry another address, by the store of its slot. All else that it has stays.
   *
   * @param live a live index that has a slot
   * @param present the lowest index that has the address already, or -1
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void replace(int live, AddressKey key, long hash, int present) {
    if (present >= 0) {
      attach(live);
      attach(present);
    }
    long word = entries.encode(key, hash);
    try {
      cells.prepare(hash, live, present < 0);
    } catch (OutOfMemoryError e) {
      entries.discard(word);
      throw e;
    }
    // Nothing below can fail.
    long before = slots.word(live);
    long hashBefore = entries.hashOf(before);
    boolean hadCell = leaveCompanions(live, before, hashBefore);
    if (present < 0) {
      cells.put(hash, live);
    }
    changes.replace(live, before, word);
    if (present >= 0 && heap.insert(present, live) == live) {
      cells.replace(hash, present, live);
    }
    if (hadCell) {
      // It is not left as those of the dead are: whoever asks what it stands for would take it for
      // one of the address that the entry has now.
      cells.remove(hashBefore, live);
    }
    entries.discard(before);
  }

  /**
   * Takes an entry out of those that have its address.
   *
   * @return whether it is found by a cell of its own still
   */
  private boolean leaveCompanions(int live, long word, long hash) {
    if (!SlotWord.hasSide(word) || !heap.contains(live)) {
      return true;
    }
    boolean isFound = heap.isRoot(live);
    if (isFound) {
      int successor = heap.removeRoot(live);
      if (successor >= 0) {
        // The next one is found before this one is gone, so that the address stays known.
        cells.replace(hash, live, successor);
        isFound = false;
      }
    } else {
      heap.remove(live);
    }
    heap.detach(live);
    return isFound;
  }

  /** Ends an entry; its index is unused after that, and not yet released. */
  void end(int live, long word) {
    boolean hasSide = SlotWord.hasSide(word);
    long hash = several ? entries.hashOf(word) : 0;
    long generation = generations.generation(live, word);
    boolean hasCell = leaveCompanions(live, word, hash);
    // From here on the entry is dead, for lookups and searches alike.
    changes.free(live, generation + 1);
    if (!several) {
      cells.addTombstones(1);
    } else if (hasCell) {
      cells.remove(hash, live);
    }
    entries.discard(word);
    if (hasSide) {
      side.detach(live);
    }
  }

  /**
   * Sees to it that an index has a side record.
   *
   * @param any any index
   * @return 0, {@code -ENOMEM}, or {@code -EINVAL} if it is neither live nor reserved
   */
  int ensureSide(int any) {
    if (runEntries.isUnused(any)) {
      return INVALID;
    }
    try {
      attach(any);
      return 0;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /**
   * Sees to it that a live or reserved index has a side record, also if it is an entry of a run.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void attach(int used) {
    long word = slots.word(used);
    if (word == 0) {
      if (side.record(used) < 0) {
        side.attach(used);
      }
    } else if (!SlotWord.hasSide(word)) {
      generations.attach(used, word);
    }
  }
}
