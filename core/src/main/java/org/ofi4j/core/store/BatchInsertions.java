// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;

/**
 * Insertions of many addresses, in passes over some of them at a time: hashes; the lines that their
 * cells are in; one load of each line, so that the cache misses of all of them overlap; cells;
 * slots. What is not the ordinary case, an address that is there already, an index whose generation
 * its slot cannot tell, want of memory, is left to the insertion of a single address. For one
 * thread at a time.
 *
 * <p>Of each kind of addresses there is a subclass, so that the compiler, which sees one of them or
 * two, puts what it does into the loops here.
 */
abstract class BatchInsertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();

  final Entries entries;

  /** What all is left to that is not the ordinary case. */
  final SingleInsertions singles;

  private final HashTable cells;
  private final CellBatch batch;
  private final NextIndices next;
  private final EntryCounts counts;

  /** Its runs, whose addresses get no other index; null if they do. */
  private final @Nullable Runs runs;

  /** What the slots of addresses that have cells will say. */
  private final long[] words = new long[CellBatch.MOST];

  /**
   * Insertions into a store.
   *
   * @param several whether addresses of runs get other indices as well
   */
  BatchInsertions(
      StoreParts parts,
      CellBatch batch,
      NextIndices next,
      boolean several,
      SingleInsertions singles) {
    this.entries = parts.entries();
    this.singles = singles;
    this.cells = parts.cells();
    this.batch = batch;
    this.next = next;
    this.counts = parts.counts();
    this.runs = several ? null : parts.runs();
  }

  // What is done with one of the addresses, by its position among all.

  abstract long hash(int at);

  /** Whether it is for the insertion of a single address to say what becomes of it. */
  abstract boolean isSpecial(int at, @Nullable Runs present);

  /**
   * Puts it where a slot can name it.
   *
   * @return state and body of the slot
   * @throws OutOfMemoryError if memory ran out
   */
  abstract long encode(int at, long hash);

  /** Frees what {@link #encode} took. */
  abstract void discard(long word);

  /** See {@link CellBatch#putIfAbsent}. */
  abstract boolean putIfAbsent(CellBatch cellsOfBatch, int i, int at, int index);

  /** Inserts it by itself: its index or a negative errno. */
  abstract int insertSingly(int at);

  /**
   * Inserts addresses.
   *
   * @param start the first one
   * @param end one more than the last one
   * @param outcomes takes what became of each, at the same place
   * @return one more than the last one that was tried: the end, or behind the first one that failed
   *     for want of memory
   */
  final int insert(int start, int end, int[] outcomes) {
    for (int from = start; from < end; from += CellBatch.MOST) {
      int count = Math.min(CellBatch.MOST, end - from);
      for (int i = 0; i < count; i++) {
        batch.hash(i, hash(from + i));
      }
      batch.load(count);
      int done = 0;
      while (done < count) {
        int most = next.prepare(count - done);
        int inserted = insertNext(from + done, done, most, outcomes);
        if (inserted > 0) {
          counts.addScattered(inserted);
        }
        done += inserted;
        if (inserted < most || most == 0) {
          int outcome = insertSingly(from + done);
          outcomes[from + done] = outcome;
          if (outcome == NO_MEMORY) {
            return from + done + 1;
          }
          done++;
        }
      }
    }
    return end;
  }

  /**
   * Inserts addresses under the next indices, as long as that goes.
   *
   * @param from the first address
   * @param start which one of the batch that is
   * @param most how many indices are ready
   * @return how many were inserted, perhaps none
   */
  private int insertNext(int from, int start, int most, int[] outcomes) {
    int first = next.first();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    int done = 0;
    int stored = 0;
    while (done < most && next.fits(done) && !isSpecial(from + done, present)) {
      try {
        words[done] = encode(from + done, batch.hash(start + done));
      } catch (OutOfMemoryError e) {
        break;
      }
      if (!batch.put(start + done, first + done)) {
        // All that are in cells must be there for whoever looks at slots.
        store(stored, done);
        stored = done;
        if (!putIfAbsent(batch, start + done, from + done, first + done)) {
          discard(words[done]);
          break;
        }
      }
      outcomes[from + done] = first + done;
      done++;
    }
    if (done > 0) {
      store(stored, done);
      cells.added(done);
      next.take(done);
    }
    return done;
  }

  /** Publishes addresses that have cells, and perhaps records, which both go before the slots. */
  private void store(int start, int end) {
    NextIndices.behindCells();
    for (int i = start; i < end; i++) {
      next.store(i, words[i]);
    }
  }
}
