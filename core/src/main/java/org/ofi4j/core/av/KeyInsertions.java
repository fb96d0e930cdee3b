package org.ofi4j.core.av;

import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;

/**
 * Insertions of many addresses that slots do not hold, such as those of IPv6, as {@link
 * Ipv4Insertions} does it with those of IPv4: hashes; one load of the line of each; records and
 * cells; slots. What is not the ordinary case is left to the insertion of a single address. For one
 * thread at a time.
 */
final class KeyInsertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();

  private final Entries entries;
  private final HashCells cells;
  private final CellBatch batch;
  private final FreshIndices fresh;
  private final @Nullable Runs runs;
  private final ToIntFunction<AddressKey> single;

  /** What the slots of addresses that have cells will say. */
  private final long[] words = new long[CellBatch.MOST];

  /**
   * Insertions into a store.
   *
   * @param entries its entries
   * @param cells the cells of its reverse index
   * @param batch gives addresses cells
   * @param fresh its next indices
   * @param runs its runs, whose addresses get no other index; null if they do
   * @param single inserts one address: its index or a negative errno
   */
  KeyInsertions(
      Entries entries,
      HashCells cells,
      CellBatch batch,
      FreshIndices fresh,
      @Nullable Runs runs,
      ToIntFunction<AddressKey> single) {
    this.entries = entries;
    this.cells = cells;
    this.batch = batch;
    this.fresh = fresh;
    this.runs = runs;
    this.single = single;
  }

  /**
   * Inserts addresses.
   *
   * @param keys as {@link EntryStore#insert(AddressKey[], int, int[])} has them
   * @param end how many of them
   * @param outcomes takes what became of each
   * @param added told of entries that were made here
   * @return how many were tried: all, or as many as go before the first one that failed for want of
   *     memory, and that one
   */
  int insert(AddressKey[] keys, int end, int[] outcomes, Ipv4Insertions.Added added) {
    for (int from = 0; from < end; from += CellBatch.MOST) {
      int count = Math.min(CellBatch.MOST, end - from);
      for (int i = 0; i < count; i++) {
        batch.hash(i, entries.hash(keys[from + i]));
      }
      batch.load(count);
      int done = 0;
      while (done < count) {
        int inserted = insertFresh(keys, from + done, done, count - done, outcomes);
        if (inserted > 0) {
          added.add(inserted);
        }
        done += inserted;
        if (done < count) {
          int outcome = single.applyAsInt(keys[from + done]);
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

  /** As {@link Ipv4Insertions} has it. */
  private int insertFresh(AddressKey[] keys, int from, int start, int wanted, int[] outcomes) {
    int most = fresh.prepare(wanted);
    int first = fresh.first();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    int done = 0;
    int stored = 0;
    while (done < most && fresh.hadFewLives(done)) {
      AddressKey key = keys[from + done];
      // Those of IPv4 may go on from a run.
      if (key.kind() == AddressKey.Kind.IPV4
          || (present != null && present.find(key, false) >= 0)) {
        break;
      }
      try {
        words[done] = entries.encode(key, batch.hash(start + done));
      } catch (OutOfMemoryError e) {
        break;
      }
      if (!batch.put(start + done, first + done)) {
        store(stored, done);
        stored = done;
        if (!batch.putWithCare(start + done, key, 0, first + done)) {
          entries.discard(words[done]);
          break;
        }
      }
      outcomes[from + done] = first + done;
      done++;
    }
    store(stored, done);
    if (done > 0) {
      cells.added(done);
      fresh.take(done);
    }
    return done;
  }

  /** Publishes addresses that have cells, and records, which go before the slots as well. */
  private void store(int start, int end) {
    FreshIndices.behindCells();
    for (int i = start; i < end; i++) {
      fresh.store(i, words[i]);
    }
  }
}
