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
  private final NextIndices next;
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
   * @param next its next indices
   * @param runs its runs, whose addresses get no other index; null if they do
   * @param single inserts one address: its index or a negative errno
   */
  KeyInsertions(
      Entries entries,
      HashCells cells,
      CellBatch batch,
      NextIndices next,
      @Nullable Runs runs,
      ToIntFunction<AddressKey> single) {
    this.entries = entries;
    this.cells = cells;
    this.batch = batch;
    this.next = next;
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
          int outcome = insertVacated(keys[from + done], done, added);
          if (outcome < 0) {
            outcome = single.applyAsInt(keys[from + done]);
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

  /** As {@link Ipv4Insertions} has it. */
  private int insertFresh(AddressKey[] keys, int from, int start, int wanted, int[] outcomes) {
    int most = next.prepare(wanted);
    int first = next.first();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    int done = 0;
    int stored = 0;
    while (done < most && next.hadFewLives(done)) {
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
  private int insertVacated(AddressKey key, int start, Ipv4Insertions.Added added) {
    int index = next.vacated();
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    if (index < 0
        || key.kind() == AddressKey.Kind.IPV4
        || (present != null && present.find(key, false) >= 0)) {
      return -1;
    }
    long word;
    try {
      word = entries.encode(key, batch.hash(start));
    } catch (OutOfMemoryError e) {
      return -1;
    }
    if (!batch.put(start, index) && !batch.putWithCare(start, key, 0, index)) {
      entries.discard(word);
      return -1;
    }
    NextIndices.behindCells();
    next.store(0, word);
    cells.added(1);
    next.takeVacated();
    added.add(1);
    return index;
  }

  /** Publishes addresses that have cells, and records, which go before the slots as well. */
  private void store(int start, int end) {
    NextIndices.behindCells();
    for (int i = start; i < end; i++) {
      next.store(i, words[i]);
    }
  }
}
