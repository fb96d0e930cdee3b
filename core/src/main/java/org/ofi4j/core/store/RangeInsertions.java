// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.PresentAddresses;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Insertions of addresses that follow each other, which become runs where they are worth it.
 *
 * <p><b>Ranges</b>, whose addresses follow from their position, are inserted in pieces: what is
 * present already is dealt with stretch by stretch, as the policy for duplicates says; what is new
 * goes to the free indices interval by interval, as runs where they are worth it, else one by one.
 * The cost goes by the pieces.
 *
 * <p><b>Rows</b> are found among many IPv4 addresses. Those that go on from the last run make it
 * longer; where 16 or more follow each other, in one row or in several equal ones, they are
 * inserted as a range, unless there are too many runs where they are; the others are scattered.
 *
 * <p><b>A run</b> is added by one store, and so are its entries, unless their indices were used
 * before. The slots of those say that they are unused. Each becomes 0 after the run was added, and
 * with that store its entry lives. The generation of a run is above those of all these slots. Older
 * runs that cover the unused indices are cut.
 *
 * <p>For the one thread that writes.
 */
final class RangeInsertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();

  /** Fewer addresses are not worth a run. */
  private static final int LEAST = 16;

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
  private final EntryCounts counts;
  private final StoreChanges singles;
  private final BatchChanges batches;
  private final AddressKey key = new AddressKey();

  /** Addresses that are worth a run, or go on from one. */
  private record Row(RunShape shape, int length) {}

  /**
   * Insertions into a store.
   *
   * @param singles inserts what is not worth a run, one by one
   * @param batches inserts what is not worth a run among many addresses
   */
  RangeInsertions(
      StoreParts parts, DuplicatePolicy duplicates, StoreChanges singles, BatchChanges batches) {
    this.duplicates = duplicates;
    this.slots = parts.slots();
    this.scattered = parts.entries();
    this.cells = parts.cells();
    this.runs = parts.runs();
    this.freeIndices = parts.freeIndices();
    this.counts = parts.counts();
    this.singles = singles;
    this.batches = batches;
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
  private boolean insert(RunShape shape, int count, RangeOutcome outcomes) {
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
    boolean scatter = !large && to - from >= LEAST && runs.isCrowded(shape.from(from), to - from);
    int at = from;
    while (at < to) {
      int next = freeIndices.next();
      if (next < 0) {
        outcomes.add(1, NO_MEMORY);
        return false;
      }
      int free = scatter ? 1 : freeIndices.freeEnd(next, to - at) - next;
      int placed = scatter ? 0 : place(shape.from(at), next, free);
      // There are as many runs as there may be.
      scatter |= placed == 0 && free >= LEAST;
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

  /** The run that ends before an index, if it can go on there. */
  private @Nullable Run runBefore(int index) {
    Run run = index == 0 ? null : runs.at(index - 1);
    // New entries have no shares yet.
    return run != null && run.end() == index && run.shares() == 0 ? run : null;
  }

  /**
   * Puts addresses that no entry has, or that may have several, at unused indices: at the end of
   * the run before them if they go on from it, else as a run of their own.
   *
   * @param at the next index to be used
   * @param count how many, at least 1; so many indices from there on are unused
   * @return how many were put, from the first on; 0 if they are not worth a run
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  private int place(RunShape addresses, int at, int count) {
    Run before = runBefore(at);
    if (before != null && before.shape().from(before.count()).equals(addresses)) {
      int most = Math.min(count, before.shape().limit() - before.count());
      if (most > 0 && nextGeneration(at, at + most) <= before.generation()) {
        put(before.part(before.first(), at + most), runs.slotCount(before), at);
        return most;
      }
    }
    if (count < LEAST || !runs.hasRoom(2)) {
      return 0;
    }
    put(new Run(at, count, addresses, nextGeneration(at, at + count), 0), 0, at);
    return count;
  }

  /** The largest generation that comes next in an interval of unused indices. */
  private long nextGeneration(int from, int to) {
    long most = 0;
    for (int used = slots.usedFrom(from, to); used < to; used = slots.usedFrom(used + 1, to)) {
      most = Math.max(most, SlotWord.generation(slots.word(used)));
    }
    return most;
  }

  /**
   * Adds a run, or makes one longer, at unused indices.
   *
   * @param slotCount how many of its other indices have slots
   * @param from the first of the unused indices, which are the last ones of the run
   */
  private void put(Run run, int slotCount, int from) {
    int to = run.end();
    runs.put(run, slotCount);
    for (int used = slots.usedFrom(from, to); used < to; used = slots.usedFrom(used + 1, to)) {
      slots.clear(used);
    }
    freeIndices.take(from, to - from);
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

  // Rows.

  /**
   * Inserts addresses; see {@link EntryStore#insertIpv4}.
   *
   * @param outcomes takes what became of each
   * @return how many were tried
   */
  int insert(long[] words, int count, int[] outcomes) {
    int at = 0;
    while (at < count) {
      Row behind = rowBehindRuns(words, at, count);
      Row row = behind != null ? behind : rowAt(words, at, count);
      if (row != null && !runs.isCrowded(row.shape, row.length)) {
        at = insertRange(row.shape, at, row.length, outcomes);
      } else {
        int to = row != null ? at + row.length : nextRow(words, at + 1, count);
        at = batches.insert(words, at, to, outcomes);
      }
      if (outcomes[at - 1] == NO_MEMORY) {
        return at;
      }
    }
    return count;
  }

  /** The addresses that go on from the run at whose end the next index is; null if none do. */
  private @Nullable Row rowBehindRuns(long[] words, int from, int count) {
    Run tail = freeIndices.next() == freeIndices.end() ? runBefore(freeIndices.end()) : null;
    if (tail == null || !tail.goesOnWith(words[from])) {
      return null;
    }
    RunShape shape = tail.shape();
    int most = Math.min(count - from, shape.limit() - tail.count());
    return new Row(shape.from(tail.count()), shape.same(tail.count(), words, from, most));
  }

  private int insertRange(RunShape shape, int from, int count, int[] outcomes) {
    RangeOutcome pieces = new RangeOutcome();
    insert(shape, count, pieces);
    for (int piece = 0; piece < pieces.pieces(); piece++) {
      int first = pieces.first(piece);
      int start = pieces.start(piece);
      for (int i = start; i < pieces.end(piece); i++) {
        outcomes[from + i] = first < 0 ? first : first + i - start;
      }
    }
    return from + pieces.count();
  }

  /** The row that begins with a word, or several equal rows; null if that is not worth a run. */
  private static @Nullable Row rowAt(long[] words, int from, int count) {
    if (count - from < LEAST) {
      return null;
    }
    long step = words[from + 1] - words[from];
    RunShape row = RunShape.row(words[from], step);
    if (row == null) {
      return null;
    }
    int end = from + 2;
    while (end < count && words[end] - words[end - 1] == step) {
      end++;
    }
    int columns = Math.min(end - from, row.limit());
    if (from + columns < count) {
      RunShape rows = row.withRows(columns, words[from + columns]);
      int all = rows == null ? 0 : rows.same(0, words, from, Math.min(count - from, rows.limit()));
      if (rows != null && all > columns) {
        return all < LEAST ? null : new Row(rows, all);
      }
    }
    return columns < LEAST ? null : new Row(row, columns);
  }

  /** Returns the start of the next row that is worth a run. */
  private static int nextRow(long[] words, int from, int count) {
    int first = from - 1;
    int at = from;
    while (at + 1 < count) {
      if (words[at + 1] - words[at] != words[at] - words[at - 1]) {
        first = at;
      } else if (at + 2 - first >= LEAST
          && RunShape.row(words[first], words[at] - words[at - 1]) != null) {
        return Math.max(first, from);
      }
      at++;
    }
    return count;
  }
}
