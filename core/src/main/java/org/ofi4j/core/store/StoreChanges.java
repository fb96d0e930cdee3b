// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Changes of single entries; {@link BatchChanges} changes many.
 *
 * <p>An insertion takes all the memory that it will need, then fills record, side word and cell,
 * and last stores the slot: with that store the entry is there, for lookups and searches alike. A
 * removal begins with the store of the slot and cleans up after it. A replacement has that store in
 * the middle: the cell of the new address comes before, and that of the old one goes after. So a
 * thread that stops anywhere leaves an entry or none, with one address or the other, and at worst
 * cells that lead nowhere.
 *
 * <p>For one thread at a time.
 */
final class StoreChanges {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int INVALID = -Errno.EINVAL.number();
  private static final int ALREADY = -Errno.EALREADY.number();

  /** More is to be found out about an address. */
  private static final int UNUSUAL = -1;

  private final DuplicatePolicy duplicates;

  /**
   * Whether an address may have several entries: then its cell is removed, or goes to the next
   * entry, when one dies; else it stays.
   */
  private final boolean several;

  private final Slots slots;
  private final Entries entries;
  private final HashTable cells;
  private final FreeIndices freeIndices;
  private final SideWords side;
  private final DuplicateHeap heap;
  private final Runs runs;
  private final EntryCounts counts;

  /** The participant that makes reservations, plus 1; 0 if there are no others. */
  private int owner;

  StoreChanges(StoreParts parts, StoreOptions options) {
    this.duplicates = options.duplicates();
    this.several = duplicates == DuplicatePolicy.NEW_INDEX;
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.cells = parts.cells();
    this.freeIndices = parts.freeIndices();
    this.side = parts.side();
    this.heap = parts.heap();
    this.runs = parts.runs();
    this.counts = parts.counts();
  }

  /** Sets the owner of reservations from now on. */
  void reserveFor(int participant) {
    owner = participant;
  }

  // Insertions.

  /** See {@link EntryStore#insert(AddressKey)}. */
  int insert(AddressKey key) {
    long hash = entries.hash(key);
    int inserted = insertNew(key, hash);
    return inserted == UNUSUAL ? insertAny(key, hash) : inserted;
  }

  /**
   * Inserts an address that no entry has, in one pass.
   *
   * @return its index; or {@link #UNUSUAL} if it is present, its generation does not fit into the
   *     slot, or memory ran out, and then nothing has changed
   */
  private int insertNew(AddressKey key, long hash) {
    int next = freeIndices.next();
    if (next < 0 || (!several && isInRun(key))) {
      return UNUSUAL;
    }
    MemorySegment page;
    long word;
    try {
      page = makeRoom(next);
      cells.prepare(next, true);
      word = entries.encode(next, key, hash);
    } catch (OutOfMemoryError e) {
      return UNUSUAL;
    }
    long slot = slots.pages().offset(page, next);
    long generation = SlotWord.generation(page.get(JAVA_LONG, slot));
    if (!SlotWord.fits(generation) || !cells.fillIfAbsent(hash, next, entries, key, 0)) {
      entries.discard(word);
      return UNUSUAL;
    }
    // Record and cell go before the slot.
    VarHandle.releaseFence();
    Slots.show(page, slot, SlotWord.withGeneration(word, generation));
    freeIndices.take(next, 1);
    counts.addScattered(1);
    return next;
  }

  private boolean isInRun(AddressKey key) {
    return !runs.isEmpty() && runs.find(runs.present(), key) >= 0;
  }

  /** As {@link #insert}, for addresses that may be present, and if memory is scarce. */
  int insertAny(AddressKey key, long hash) {
    return insert(key, hash, -1);
  }

  /**
   * Inserts an address that may be present.
   *
   * @param reserved the index that it gets if it gets one; -1 for the next unused one
   */
  private int insert(AddressKey key, long hash, int reserved) {
    try {
      int inCells = cells.lookups().find(hash, entries, key, 0);
      int present = present(key, inCells);
      if (present >= 0) {
        return repeat(present);
      }
      int index = reserved < 0 ? freeIndices.next() : reserved;
      if (index < 0) {
        return NO_MEMORY;
      }
      makeRoom(index);
      show(index, key, hash, inCells);
      if (reserved < 0) {
        freeIndices.take(index, 1);
      } else {
        counts.addReserved(-1);
      }
      counts.addScattered(1);
      return index;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /**
   * The entry that an address would share, or be refused for.
   *
   * @param inCells the index that the cells give it, or -1
   * @return its index, or -1 if the address gets an entry of its own
   */
  private int present(AddressKey key, int inCells) {
    if (several) {
      return -1;
    }
    return inCells >= 0 ? inCells : runs.find(runs.present(), key);
  }

  /** Inserts the address of an entry again without a new index; its index or a negative errno. */
  int repeat(int present) {
    if (duplicates == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    if (shares(present) == SideWords.MOST_SHARES) {
      return NO_MEMORY;
    }
    try {
      addShares(present, 1);
      return present;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  // Reservations.

  /** See {@link EntryStore#reserve}. */
  int reserve() {
    try {
      int next = freeIndices.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      makeRoom(next);
      slots.reserve(next, SlotWord.generation(slots.word(next)), owner);
      freeIndices.take(next, 1);
      counts.addReserved(1);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /** See {@link EntryStore#publish}. */
  int publish(int reserved, AddressKey key) {
    if (SlotWord.state(slots.word(reserved)) != SlotWord.RESERVED) {
      return INVALID;
    }
    int outcome = insert(key, entries.hash(key), reserved);
    if (outcome != reserved) {
      cancel(reserved);
    }
    return outcome;
  }

  /** See {@link EntryStore#cancel}. The generation ends too, as it may have got a user id. */
  void cancel(int reserved) {
    long word = slots.word(reserved);
    if (SlotWord.state(word) != SlotWord.RESERVED) {
      return;
    }
    slots.free(reserved, SlotWord.generation(word) + 1);
    if (SlotWord.hasSide(word)) {
      side.clear(reserved);
    }
    freeIndices.release(reserved);
    counts.addReserved(-1);
  }

  // Entries with slots.

  /**
   * Gives an index a slot, and what it takes to record that it is free.
   *
   * @param index the next index to be used, or an entry of a run
   * @return the page with its slot
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  MemorySegment makeRoom(int index) {
    freeIndices.prepare(index, 1);
    MemorySegment page = slots.pageForWriter(index);
    if (page == null) {
      // Most others that the run covers need no slots.
      slots.ensure(index, index < freeIndices.end() && runs.at(index) != null);
      if (!runs.isEmpty()) {
        // Other processes look for the page before they take an index of it for one of a run.
        runs.renew();
      }
      page = Objects.requireNonNull(slots.pageForWriter(index), "no page came");
    }
    return page;
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
    long sideWord = SlotWord.hasSide(before) ? side.word(fresh) : 0;
    show(fresh, SlotWord.generation(before), sideWord, key, hash, present);
  }

  private void show(
      int fresh, long generation, long sideWord, AddressKey key, long hash, int present) {
    boolean hasSide = !SideWords.isClear(sideWord) || !SlotWord.fits(generation);
    if (hasSide) {
      side.ensure(fresh);
    }
    if (present >= 0) {
      heap.ensure(present);
      heap.ensure(fresh);
    }
    cells.prepare(fresh, present < 0);
    long word = entries.encode(fresh, key, hash);
    // Nothing below can fail.
    if (hasSide) {
      side.set(fresh, SideWords.withGeneration(sideWord, generation));
    }
    if (present < 0) {
      cells.put(hash, fresh);
    }
    slots.show(fresh, word, generation, hasSide);
    if (present >= 0 && heap.insert(present, fresh) == fresh) {
      cells.replace(hash, present, fresh);
    }
  }

  // Replacements.

  /**
   * See {@link EntryStore#replace}. An entry of a run gets a slot of its own, which goes before the
   * run, and the run has a hole there. The generation stays, as it tells entries apart, not their
   * addresses.
   */
  int replace(int live, AddressKey key) {
    long word = slots.word(live);
    Run run = word == 0 ? runs.at(live) : null;
    if (word == 0 ? run == null : !SlotWord.isLive(word)) {
      return INVALID;
    }
    if (run != null ? run.holds(live, key) : entries.holds(live, word, key, 0)) {
      return 0;
    }
    try {
      long hash = entries.hash(key);
      int inCells = cells.lookups().find(hash, entries, key, 0);
      if (present(key, inCells) >= 0) {
        return ALREADY;
      }
      if (run != null) {
        leaveRun(run, live, key, hash, inCells);
      } else {
        replaceInSlot(live, key, hash, inCells);
      }
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
    if (several) {
      // The address may have gone from entry to entry behind a search, and come back.
      runs.renew();
    }
    return 0;
  }

  /**
   * Gives an entry of a run a slot with another address. As the slot goes before the run, readers
   * find the address of the run until the slot is stored, and the new one from then on.
   */
  private void leaveRun(Run run, int live, AddressKey key, long hash, int present) {
    makeRoom(live);
    long sideWord = SideWords.leavingRun(side.word(live), run.shares());
    if (several) {
      // A search may have passed another entry of its address before that came.
      runs.renew();
    }
    show(live, run.generation(), sideWord, key, hash, present);
    runs.addSlot(run);
    counts.addLeftRun();
  }

  /** Gives an entry with a slot another address, by the store of the slot. */
  private void replaceInSlot(int live, AddressKey key, long hash, int present) {
    if (present >= 0) {
      heap.ensure(live);
      heap.ensure(present);
    }
    cells.prepare(live, present < 0);
    long word = entries.encode(live, key, hash);
    // Nothing below can fail.
    long before = slots.word(live);
    long hashBefore = entries.hashOf(live, before);
    boolean hadCell = leaveCompanions(live, hashBefore);
    if (present < 0) {
      cells.put(hash, live);
    }
    slots.replace(live, before, word);
    if (present >= 0 && heap.insert(present, live) == live) {
      cells.replace(hash, present, live);
    }
    if (hadCell) {
      // It does not stay as those of dead entries do: the entry is live, and its hash is another.
      cells.remove(hashBefore, live);
    }
    entries.discard(before);
  }

  /**
   * Takes an entry out of those that have its address.
   *
   * @return whether a cell of its own still leads to it
   */
  private boolean leaveCompanions(int live, long hash) {
    if (!several || !heap.contains(live)) {
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

  // Removals.

  /** See {@link EntryStore#remove(int)}. */
  int remove(int live) {
    long word = slots.word(live);
    if (word == 0) {
      Run run = runs.at(live);
      return run == null ? INVALID : removeFromRun(run, live);
    }
    if (!SlotWord.isLive(word)) {
      return INVALID;
    }
    boolean hasSide = SlotWord.hasSide(word);
    // Where an address may have several entries none is shared.
    int shares = hasSide && !several ? shares(live) : 0;
    if (shares > 0) {
      addShares(live, -1);
      return shares;
    }
    long hash = several ? entries.hashOf(live, word) : 0;
    long generation = side.generation(live, word);
    boolean hasCell = leaveCompanions(live, hash);
    // From here on the entry is dead, for lookups and searches alike.
    slots.free(live, generation + 1);
    if (!several) {
      cells.addTombstones(1);
    } else if (hasCell) {
      cells.remove(hash, live);
    }
    entries.discard(word);
    if (hasSide) {
      side.clear(live);
    }
    freeIndices.release(live);
    counts.addScattered(-1);
    return 0;
  }

  /** Removes an entry of a run, or one share of it; it dies by the store of a slot. */
  private int removeFromRun(Run run, int live) {
    int shares = SideWords.sharesInRun(side.word(live), run.shares());
    try {
      if (shares > 0) {
        addShares(live, -1);
        return shares;
      }
      makeRoom(live);
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
    if (several) {
      // A search may have passed another entry of its address before that came.
      runs.renew();
    }
    slots.free(live, run.generation() + 1);
    side.clear(live);
    freeIndices.release(live);
    counts.add(-1);
    runs.addSlot(run);
    return 0;
  }

  // Side words.

  /**
   * Marks an entry or a reservation as behind a firewall.
   *
   * @param used its index
   * @return 0 or {@code -ENOMEM}
   */
  int markFirewall(int used) {
    try {
      setSide(used, SideWords.withMark(side.word(used)));
      return 0;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /** The shares of a live index beyond the first. */
  private int shares(int live) {
    long word = side.word(live);
    Run run = slots.word(live) == 0 ? runs.at(live) : null;
    return run == null ? SideWords.shares(word) : SideWords.sharesInRun(word, run.shares());
  }

  /**
   * Gives a live index more shares, or fewer with a negative number.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  private void addShares(int live, int more) {
    long word = side.word(live);
    setSide(live, SideWords.withShares(word, SideWords.shares(word) + more));
  }

  /**
   * Stores the side word of a live or reserved index, also if it is an entry of a run.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void setSide(int used, long word) {
    side.ensure(used);
    side.set(used, word);
    long slot = slots.word(used);
    if (slot != 0 && !SlotWord.hasSide(slot)) {
      slots.attachSide(used, slot);
    }
  }
}
