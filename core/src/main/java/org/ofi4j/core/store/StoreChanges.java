// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.RunChanges;
import org.ofi4j.core.run.RunPlacement;
import org.ofi4j.core.run.RunRemoval;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.Generations;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * What changes a store, and is there from its first change on: many are only read by this process.
 *
 * <pre>
 *   many IPv4 ──▶ RowInsertions ──┬─────▶ RangeInsertion ──┬──▶ RunPlacement ──▶ RunChanges
 *                                 └▶ Ipv4Insertions ─┐     │
 *   keys, or one ───────────────────▶ KeyInsertions ─┴─────┴──▶ SingleInsertions ──▶ ScatteredEntries
 * </pre>
 *
 * <p>An insertion takes all the memory it will need, then fills record, side record and cell, and
 * last stores the slot: with that store the entry is there, for lookups and searches alike. A
 * removal begins with the store of the slot and cleans up after it. {@link Replacements} have that
 * store in the middle. So a thread that stops anywhere leaves an entry or none, and cells that lead
 * nowhere at worst.
 *
 * <p>For one thread at a time.
 */
final class StoreChanges {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final Slots slots;
  private final FreeIndices freeIndices;
  private final SideRecords side;
  private final Generations generations;
  private final EntryCounts counts;
  private final ScatteredEntries scattered;

  /** Null if an address may have several entries. */
  private final @Nullable ScatteredRemovals removals;

  private final RunChanges runChanges;
  private final RunRemoval removal;
  private final RunPlacement placement;
  private final CellBatch batch;
  private final SingleInsertions singles;
  private final RangeInsertion ranges;
  private final RowInsertions rows;
  private final KeyInsertions keyInsertions;
  private final Replacements replacements;

  private final AddressKey[] one = {new AddressKey()};
  private final int[] outcomeOfOne = new int[1];

  StoreChanges(StoreParts parts, StoreOptions options) {
    this.slots = parts.slots();
    this.freeIndices = parts.freeIndices();
    this.side = parts.side();
    this.generations = parts.generations();
    this.counts = parts.counts();
    DuplicatePolicy duplicates = options.duplicates();
    boolean several = duplicates == DuplicatePolicy.NEW_INDEX;
    this.scattered = new ScatteredEntries(parts, several);
    this.removals = several ? null : new ScatteredRemovals(parts);
    this.runChanges = new RunChanges(parts.runs());
    this.removal = new RunRemoval(parts.runEntries(), runChanges, freeIndices, side);
    this.placement = new RunPlacement(slots, parts.slotChanges(), freeIndices, runChanges);
    this.singles = new SingleInsertions(parts, duplicates, scattered);
    this.replacements = new Replacements(parts, singles, scattered, removal);
    this.ranges = new RangeInsertion(parts, duplicates, runChanges, placement, singles);
    this.batch = new CellBatch(parts);
    NextIndices next = new NextIndices(parts, options.capacity());
    this.keyInsertions = new KeyInsertions(parts, batch, next, several, singles);
    Ipv4Insertions ipv4Insertions = new Ipv4Insertions(parts, batch, next, several, singles);
    this.rows = new RowInsertions(parts, duplicates, placement, ranges, ipv4Insertions);
  }

  /** Looks at the last run anew, as another process may have changed something. */
  void follow() {
    placement.forget();
    generations.follow();
  }

  ScatteredEntries scattered() {
    return scattered;
  }

  RunChanges runs() {
    return runChanges;
  }

  int insert(AddressKey key) {
    one[0] = key;
    keyInsertions.insert(one, 1, outcomeOfOne);
    return outcomeOfOne[0];
  }

  int insert(AddressKey[] keys, int count, int[] outcomes) {
    return keyInsertions.insert(keys, count, outcomes);
  }

  int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return rows.insert(addresses, count, outcomes);
  }

  void insertRange(AddressRange range, RangeOutcome outcome) {
    ranges.insert(range, outcome);
  }

  int replace(int live, AddressKey key) {
    return replacements.replace(live, key);
  }

  int reserve() {
    try {
      int next = freeIndices.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      freeIndices.prepare(next);
      scattered.makeRoom(next);
      scattered.reserve(next);
      freeIndices.take(next);
      counts.addReserved(1);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  int publish(int reservedIndex, AddressKey key) {
    if (SlotWord.state(slots.word(reservedIndex)) != SlotWord.RESERVED) {
      return INVALID;
    }
    int outcome = singles.publish(reservedIndex, key);
    if (outcome != reservedIndex) {
      cancel(reservedIndex);
    }
    return outcome;
  }

  void cancel(int reservedIndex) {
    long word = slots.word(reservedIndex);
    if (SlotWord.state(word) == SlotWord.RESERVED) {
      prepareRelease(reservedIndex);
      scattered.cancel(reservedIndex, word);
      freeIndices.release(reservedIndex);
      counts.addReserved(-1);
    }
  }

  void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += CellBatch.MOST) {
      int end = Math.min(count, from + CellBatch.MOST);
      if (removals == null) {
        batch.load(indices, from, end - from);
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

  int remove(int live) {
    long word = slots.word(live);
    if (word == 0) {
      int outcome = removal.remove(live);
      if (outcome == 0) {
        counts.add(-1);
      }
      return outcome;
    }
    if (!SlotWord.isLive(word)) {
      return INVALID;
    }
    // Where an address may have several entries none is shared.
    if (SlotWord.hasSide(word) && removals != null) {
      int own = side.shares(live);
      int shares = own + side.runShares(live);
      if (shares > 0) {
        side.setShares(live, own - 1);
        return shares;
      }
    }
    prepareRelease(live);
    scattered.end(live, word);
    freeIndices.release(live);
    counts.addScattered(-1);
    return 0;
  }

  /** Lets runs end where the indices in use will, before a slot ends. */
  private void prepareRelease(int used) {
    if (used == freeIndices.end() - 1) {
      removal.truncateFrom(used);
    }
  }

  int setUserId(int used, long id) {
    int outcome = scattered.ensureSide(used);
    if (outcome == 0) {
      side.setUserId(used, id);
    }
    return outcome;
  }

  int markFirewall(int used) {
    int outcome = scattered.ensureSide(used);
    if (outcome == 0) {
      side.setFirewall(used);
    }
    return outcome;
  }
}
