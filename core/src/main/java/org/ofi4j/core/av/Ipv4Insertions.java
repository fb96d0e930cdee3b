package org.ofi4j.core.av;

import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;

/**
 * Insertions of many IPv4 addresses, in passes over some of them at a time: hashes; the lines that
 * their cells are in; one load of each line, so that the cache misses of all of them overlap;
 * cells; slots. What is not the ordinary case, an address that is there already, an index with many
 * lives, want of memory, is left to the insertion of a single address. For one thread at a time.
 */
final class Ipv4Insertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();

  private final Entries entries;
  private final HashCells cells;
  private final CellBatch batch;
  private final NextIndices next;
  private final @Nullable Runs runs;
  private final LongToIntFunction single;

  /**
   * Insertions into a store.
   *
   * @param entries its entries
   * @param cells the cells of its reverse index
   * @param batch gives addresses cells
   * @param next its next indices
   * @param runs its runs, whose addresses get no other index; null if they do
   * @param single inserts one address: its index or a negative errno
   */
  Ipv4Insertions(
      Entries entries,
      HashCells cells,
      CellBatch batch,
      NextIndices next,
      @Nullable Runs runs,
      LongToIntFunction single) {
    this.entries = entries;
    this.cells = cells;
    this.batch = batch;
    this.next = next;
    this.runs = runs;
    this.single = single;
  }

  /** Takes the entries that were added. */
  interface Added {
    void add(int entries);
  }

  /**
   * Inserts addresses.
   *
   * @param addresses as {@link EntryStore#insertIpv4} has them
   * @param start the first one
   * @param end one more than the last one
   * @param outcomes takes what became of each, at the same place
   * @param added told of entries that were made here
   * @return one more than the last one that was tried: the end, or behind the first one that failed
   *     for want of memory
   */
  int insert(long[] addresses, int start, int end, int[] outcomes, Added added) {
    for (int from = start; from < end; from += CellBatch.MOST) {
      int count = Math.min(CellBatch.MOST, end - from);
      for (int i = 0; i < count; i++) {
        batch.hash(i, entries.hashIpv4(addresses[from + i]));
      }
      batch.load(count);
      int done = 0;
      while (done < count) {
        int inserted = insertFresh(addresses, from + done, done, count - done, outcomes);
        if (inserted > 0) {
          added.add(inserted);
        }
        done += inserted;
        if (done < count) {
          int outcome = insertVacated(addresses[from + done], done, added);
          if (outcome < 0) {
            outcome = single.applyAsInt(addresses[from + done]);
          }
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
   * Inserts addresses under indices that follow the last one in use, as long as that goes.
   *
   * @param from the first address
   * @param start which one of the batch that is
   * @param wanted how many are left of the batch
   * @return how many were inserted, perhaps none
   */
  private int insertFresh(long[] addresses, int from, int start, int wanted, int[] outcomes) {
    int most = next.prepare(wanted);
    int first = next.first();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    int done = 0;
    int stored = 0;
    while (done < most
        && (present == null || present.findIpv4(addresses[from + done], false) < 0)
        && next.hadFewLives(done)) {
      if (!batch.put(start + done, first + done)) {
        // All that are in cells must be there for whoever looks at slots.
        store(addresses, from, stored, done);
        stored = done;
        if (!batch.putWithCare(start + done, null, addresses[from + done], first + done)) {
          break;
        }
      }
      outcomes[from + done] = first + done;
      done++;
    }
    store(addresses, from, stored, done);
    if (done > 0) {
      cells.added(done);
      next.take(done);
    }
    return done;
  }

  /**
   * Inserts an address under an index that was used before, if that is plain to do.
   *
   * @param start which one of the batch it is
   * @return its index, or -1
   */
  private int insertVacated(long address, int start, Added added) {
    int index = next.vacated();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    if (index < 0 || (present != null && present.findIpv4(address, false) >= 0)) {
      return -1;
    }
    if (!batch.put(start, index) && !batch.putWithCare(start, null, address, index)) {
      return -1;
    }
    NextIndices.behindCells();
    next.store(0, SlotWord.ipv4(address));
    cells.added(1);
    next.takeVacated();
    added.add(1);
    return index;
  }

  /** Publishes addresses that have cells. */
  private void store(long[] addresses, int from, int start, int end) {
    NextIndices.behindCells();
    for (int i = start; i < end; i++) {
      next.store(i, SlotWord.ipv4(addresses[from + i]));
    }
  }
}
