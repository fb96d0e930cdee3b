// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.LongToIntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.Vacancies;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.RangeInsertion;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.RunChanges;
import org.ofi4j.core.run.RunDetection;
import org.ofi4j.core.run.RunEntries;
import org.ofi4j.core.run.RunPlacement;
import org.ofi4j.core.run.RunRemoval;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.Lives;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;
import org.ofi4j.core.slot.Strays;

/**
 * What changes a store, and is there from its first change on: many are only read by this process.
 *
 * <p>An insertion takes all the memory it will need, then fills record, side record and cell, and
 * last stores the slot: with that store the entry is there, for lookups and searches alike. A
 * removal begins with the store of the slot and cleans up after it. So a thread that stops anywhere
 * leaves an entry or none, and cells that lead nowhere at worst.
 *
 * <p>For one thread at a time.
 */
final class StoreChanges {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final DuplicatePolicy duplicates;
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final Vacancies vacancies;
  private final SideRecords side;
  private final Lives lives;
  private final Strays strays;
  private final RunEntries runEntries;
  private final Runs runs;
  private final EntryCounts counts;
  private final ScatteredEntries scattered;

  /** Null if an address may have several entries. */
  private final @Nullable ScatteredRemovals removals;

  private final RunChanges runChanges;
  private final RunRemoval removal;
  private final RangeInsertion ranges;
  private final RunDetection detection;
  private final Ipv4Insertions ipv4Insertions;
  private final KeyInsertions keyInsertions;
  private final AddressKey scratch = new AddressKey();
  private final Callbacks callbacks = new Callbacks();

  /**
   * Changes of a store.
   *
   * @param parts the store
   * @param options what it is like
   */
  StoreChanges(StoreParts parts, StoreOptions options) {
    this.duplicates = options.duplicates();
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.index = parts.index();
    this.vacancies = parts.vacancies();
    this.side = parts.side();
    this.strays = parts.strays();
    this.runEntries = parts.runEntries();
    this.runs = parts.runs();
    this.counts = parts.counts();
    this.lives = parts.lives();
    HashTable cells = parts.cells();
    boolean several = duplicates == DuplicatePolicy.NEW_INDEX;
    this.scattered = new ScatteredEntries(parts, several);
    this.removals = several ? null : new ScatteredRemovals(parts);
    this.runChanges = new RunChanges(runs);
    this.removal = new RunRemoval(runEntries, runChanges, vacancies, side);
    RunPlacement placement =
        new RunPlacement(slots, entries, cells, vacancies, runs, runChanges, lives);
    this.ranges =
        new RangeInsertion(
            duplicates,
            slots,
            entries,
            index,
            runEntries,
            runChanges,
            vacancies,
            placement,
            callbacks);
    this.detection = new RunDetection(duplicates, vacancies, cells, placement, ranges, callbacks);
    CellBatch batch = new CellBatch(parts.allocator(), entries, cells);
    NextIndices next = new NextIndices(slots, vacancies, lives, options.capacity());
    Runs inTheWay = several ? null : runs;
    this.ipv4Insertions = new Ipv4Insertions(entries, cells, batch, next, inTheWay, callbacks);
    this.keyInsertions = new KeyInsertions(entries, cells, batch, next, inTheWay, callbacks);
  }

  /** Forgets the last addresses, as another process may have changed something. */
  void follow() {
    detection.forget();
    lives.follow();
  }

  /** Changes of slots. */
  ScatteredEntries scattered() {
    return scattered;
  }

  /** Changes of runs. */
  RunChanges runs() {
    return runChanges;
  }

  /** {@link EntryStore#insert(AddressKey)}. */
  int insert(AddressKey key) {
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        return repeat(present);
      }
      int next = vacancies.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      boolean ipv4 = key.kind() == AddressKey.Kind.IPV4;
      if (ipv4 && detection.extend(key.ipv4(), next)) {
        return next;
      }
      vacancies.prepare(next);
      scattered.makeRoom(next);
      try {
        scattered.show(next, key, hash, inCells);
      } catch (OutOfMemoryError e) {
        scattered.unmakeRoom(next);
        throw e;
      }
      counts.addScattered(1);
      vacancies.take(next);
      if (ipv4) {
        detection.scattered(next, key.ipv4());
      }
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /** {@link EntryStore#insert(AddressKey[], int, int[])}. */
  int insert(AddressKey[] keys, int count, int[] outcomes) {
    return keyInsertions.insert(keys, count, outcomes, callbacks);
  }

  /** {@link EntryStore#insertIpv4}. */
  int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return detection.insertIpv4(addresses, count, outcomes, callbacks);
  }

  /** {@link EntryStore#insertRange}. */
  void insertRange(AddressRange range, RangeOutcome outcome) {
    ranges.insert(range, outcome);
  }

  /** {@link EntryStore#reserve}. */
  int reserve() {
    try {
      int next = vacancies.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      vacancies.prepare(next);
      scattered.makeRoom(next);
      scattered.reserve(next);
      vacancies.take(next);
      counts.addReserved(1);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /** {@link EntryStore#publish}. */
  int publish(int reservedIndex, AddressKey key) {
    if (SlotWord.state(slots.word(reservedIndex)) != SlotWord.RESERVED) {
      return INVALID;
    }
    int outcome = NO_MEMORY;
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        outcome = repeat(present);
      } else {
        scattered.show(reservedIndex, key, hash, inCells);
        counts.addScattered(1);
        counts.addReserved(-1);
        outcome = reservedIndex;
      }
    } catch (OutOfMemoryError e) {
      outcome = NO_MEMORY;
    }
    if (outcome != reservedIndex) {
      cancel(reservedIndex);
    }
    return outcome;
  }

  /** {@link EntryStore#cancel}. */
  void cancel(int reservedIndex) {
    long word = slots.word(reservedIndex);
    if (SlotWord.state(word) == SlotWord.RESERVED) {
      prepareRelease(reservedIndex);
      scattered.cancel(reservedIndex, word);
      vacancies.release(reservedIndex);
      strays.released(reservedIndex);
      counts.addReserved(-1);
    }
  }

  /** {@link EntryStore#remove(int[], int, int[])}. */
  void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += ReverseIndex.TOGETHER) {
      int end = Math.min(count, from + ReverseIndex.TOGETHER);
      if (removals == null) {
        index.touch(indices, from, end - from);
      } else {
        removals.touch(indices, from, end);
      }
      int at = from;
      while (at < end) {
        if (removals != null) {
          int removed = removals.remove(indices, at, end, outcomes);
          counts.addScattered(-removed);
          at += removed;
        }
        if (at < end) {
          outcomes[at] = remove(indices[at]);
          at++;
        }
      }
    }
  }

  /** {@link EntryStore#remove(int)}. */
  int remove(int live) {
    long word = slots.word(live);
    if (word == 0) {
      int outcome = removal.remove(live);
      if (outcome == 0) {
        counts.add(-1);
        strays.released(live);
      }
      return outcome;
    }
    if (!SlotWord.isLive(word)) {
      return INVALID;
    }
    int shares = SlotWord.hasSide(word) ? side.shares(live) : 0;
    if (shares > 0) {
      side.setShares(live, shares - 1);
      return shares;
    }
    prepareRelease(live);
    scattered.end(live, word);
    vacancies.release(live);
    strays.released(live);
    counts.addScattered(-1);
    return 0;
  }

  /**
   * Lets runs end where the indices in use will, before a slot ends: what is vacant is told by the
   * slots as well, where memory was short.
   */
  private void prepareRelease(int used) {
    if (used == vacancies.end() - 1) {
      removal.truncateFrom(used);
    }
  }

  /** {@link EntryStore#setUserId}. */
  int setUserId(int used, long id) {
    int outcome = ensureSide(used);
    if (outcome == 0) {
      side.setUserId(used, id);
    }
    return outcome;
  }

  /** {@link EntryStore#markFirewall}. */
  int markFirewall(int used) {
    int outcome = ensureSide(used);
    if (outcome == 0) {
      side.setFirewall(used);
    }
    return outcome;
  }

  /**
   * The entry that an address would share, or be refused for.
   *
   * @param key the address
   * @param inCells the index that the cells give it, or -1
   * @return its index, or -1 if the address gets an entry of its own
   */
  private int present(AddressKey key, int inCells) {
    if (duplicates == DuplicatePolicy.NEW_INDEX) {
      return -1;
    }
    return inCells >= 0 ? inCells : runs.find(key);
  }

  /** What inserting an address again does unless it gets a new index. */
  private int repeat(int present) {
    if (duplicates == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    int outcome = ensureSide(present);
    if (outcome != 0) {
      return outcome;
    }
    int shares = side.shares(present);
    int common = slots.word(present) == 0 ? Math.max(runEntries.shares(present), 0) : 0;
    if (shares + common == Integer.MAX_VALUE - 1) {
      return NO_MEMORY;
    }
    side.setShares(present, shares + 1);
    return present;
  }

  /** Sees to it that a live or reserved index has a side record. */
  private int ensureSide(int used) {
    if (runEntries.isUnused(used)) {
      return INVALID;
    }
    try {
      scattered.attach(used);
      return 0;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /** What the parts of the store ask of it. */
  private final class Callbacks
      implements LongToIntFunction,
          ToIntFunction<AddressKey>,
          BatchInsertions.Added,
          RangeInsertion.Singles,
          RunDetection.Scattered {
    /** Inserts an IPv4 address. */
    @Override
    public int applyAsInt(long address) {
      scratch.setIpv4(address);
      return StoreChanges.this.insert(scratch);
    }

    @Override
    public int applyAsInt(AddressKey key) {
      return StoreChanges.this.insert(key);
    }

    @Override
    public void add(int scatteredEntries) {
      counts.addScattered(scatteredEntries);
    }

    @Override
    public int insert(long[] words, int from, int to, int[] outcomes) {
      return ipv4Insertions.insert(words, from, to, outcomes, this);
    }

    @Override
    public int insert(AddressKey key) {
      return StoreChanges.this.insert(key);
    }

    @Override
    public int repeat(int index) {
      return StoreChanges.this.repeat(index);
    }

    @Override
    public void added(int count) {
      counts.add(count);
    }

    @Override
    public void promoted(int count) {
      counts.promoted(count);
    }
  }
}
