// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.PresentAddresses;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunPlacement;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.Slots;

/**
 * Inserts addresses that follow from their position, in pieces: what is present already is dealt
 * with stretch by stretch, as the policy for duplicates says; what is new goes to the free indices
 * interval by interval, as runs where they are worth it, else one by one. What it costs goes by the
 * pieces. For the one thread that writes.
 */
final class RangeInsertion {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();

  /** So few entries of a run get side words rather than a run of their own. */
  private static final int FEW = 8;

  /** So many addresses become runs also where there are many runs already. */
  private static final int LARGE = 4096;

  private final DuplicatePolicy duplicates;
  private final Slots slots;
  private final Entries scattered;
  private final HashTable cells;
  private final Runs runs;
  private final FreeIndices freeIndices;
  private final RunPlacement placement;
  private final EntryCounts counts;
  private final StoreChanges singles;
  private final AddressKey key = new AddressKey();

  /**
   * Insertions into a store.
   *
   * @param placement puts what is new at free indices
   * @param singles inserts what is not worth a run
   */
  RangeInsertion(
      StoreParts parts, DuplicatePolicy duplicates, RunPlacement placement, StoreChanges singles) {
    this.duplicates = duplicates;
    this.slots = parts.slots();
    this.scattered = parts.entries();
    this.cells = parts.cells();
    this.runs = parts.runs();
    this.freeIndices = parts.freeIndices();
    this.counts = parts.counts();
    this.placement = placement;
    this.singles = singles;
  }

  /** Inserts a range; see {@link EntryStore#insertRange}. */
  void insert(AddressRange range, RangeOutcome outcome) {
    int count = range.count();
    if (count == 0) {
      return;
    }
    RunShape shape = RunShape.of(range);
    int end = outcome.count() + count;
    int done = 0;
    while (done < count) {
      // Nodes of a run differ in 32 bits only.
      RunShape rest = shape.from(done);
      int part = Math.min(rest.limit(), count - done);
      if (!insert(rest, part, outcome)) {
        break;
      }
      done += part;
    }
    if (outcome.count() < end) {
      outcome.add(end - outcome.count(), -Errno.ECANCELED.number());
    }
  }

  /**
   * Inserts addresses.
   *
   * @param outcomes takes what became of each, up to the one for which there was no memory or index
   * @return whether there was enough for all
   */
  boolean insert(RunShape shape, int count, RangeOutcome outcomes) {
    try {
      PresentAddresses present =
          duplicates == DuplicatePolicy.NEW_INDEX
              ? null
              : new PresentAddresses(shape, count, runs, slots, cells, scattered);
      int at = 0;
      while (at < count) {
        PresentAddresses.Stretch there = present == null ? null : present.next(at);
        int next = there == null ? count : there.position();
        if (next > at) {
          if (!insertNew(shape, at, next, count >= LARGE, outcomes)) {
            return false;
          }
        } else if (there != null) {
          next = at + there.length();
          if (!repeat(there.index(), there.length(), outcomes)) {
            return false;
          }
        }
        at = next;
      }
      return true;
    } catch (OutOfMemoryError e) {
      outcomes.add(1, NO_MEMORY);
      return false;
    }
  }

  /** Inserts addresses that no entry has, or that may have several. */
  private boolean insertNew(
      RunShape shape, int from, int to, boolean large, RangeOutcome outcomes) {
    boolean scatter =
        !large && to - from >= RunPlacement.LEAST && runs.isCrowded(shape.from(from), to - from);
    int at = from;
    while (at < to) {
      int next = freeIndices.next();
      if (next < 0) {
        outcomes.add(1, NO_MEMORY);
        return false;
      }
      int free = scatter ? 1 : freeIndices.freeEnd(next, to - at) - next;
      int placed = scatter ? 0 : placement.place(shape.from(at), next, free);
      // There are as many runs as there may be.
      scatter |= placed == 0 && free >= RunPlacement.LEAST;
      if (placed > 0) {
        counts.add(placed);
        outcomes.add(placed, next);
        at += placed;
      } else {
        shape.at(at, key);
        if (!addOne(singles.insert(key), outcomes)) {
          return false;
        }
        at++;
      }
    }
    return true;
  }

  /** Inserts addresses again that successive entries have. */
  private boolean repeat(int first, int count, RangeOutcome outcomes) {
    if (duplicates == DuplicatePolicy.REJECT) {
      outcomes.add(count, ALREADY);
      return true;
    }
    int at = first;
    while (at < first + count) {
      Run run = slots.word(at) == 0 ? runs.at(at) : null;
      int done = run == null ? 0 : share(run, at, first + count);
      if (done > 0) {
        outcomes.add(done, at);
        at += done;
      } else {
        if (!addOne(singles.repeat(at), outcomes)) {
          return false;
        }
        at++;
      }
    }
    return true;
  }

  private static boolean addOne(int outcome, RangeOutcome outcomes) {
    outcomes.add(1, outcome);
    return outcome != NO_MEMORY;
  }

  /**
   * Gives successive entries of a run one more share, as a run of their own.
   *
   * @param from the first index
   * @param to one more than the last index, all of which are live, as far as the run goes
   * @return how many entries got it; 0 if the first has to be dealt with by itself
   */
  private int share(Run run, int from, int to) {
    int stop = Math.min(to, run.end());
    // Indices with slots, at which a stretch of live ones ends, may be in either part.
    int begin = slots.emptyFrom(run.first(), from) == from ? run.first() : from;
    int end = slots.emptyFrom(stop, run.end()) == run.end() ? run.end() : stop;
    boolean isWhole = begin == run.first() && end == run.end();
    if ((stop - from < FEW && !isWhole) || run.shares() == Run.MOST_SHARES || !runs.hasRoom(2)) {
      return 0;
    }
    runs.put(run.part(begin, end).withShares(run.shares() + 1), end - begin - (stop - from));
    return stop - from;
  }
}
