package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;

/**
 * Insertions of many IPv4 addresses, in two passes over some of them at a time. The first finds out
 * where their cells are and loads these, so that the cache misses of all of them overlap; the
 * second inserts. What is not the ordinary case, an address that is there already, an index with
 * many lives, want of memory, is left to the insertion of a single address. For one thread at a
 * time.
 */
final class Ipv4Insertions {
  /** How many addresses at a time: as many as there can be misses under way, and then some. */
  private static final int BATCH = 128;

  private static final int NO_MEMORY = -Errno.ENOMEM.number();

  /** The address has a cell from now on. */
  private static final int PUT = -1;

  /** The address is there already, or its partition has to be built anew. */
  private static final int NOT_PUT = -2;

  private final Space space;
  private final Entries entries;
  private final Slots slots;
  private final HashCells cells;
  private final Vacancies vacancies;
  private final @Nullable Runs runs;
  private final int capacity;
  private final LongToIntFunction single;

  private final long[] hashes = new long[BATCH];
  private final int[] partitions = new int[BATCH];
  private final long[] words = new long[BATCH];
  private final int[] homes = new int[BATCH];
  private final int[] units = new int[BATCH];

  /** What the first pass loaded goes here, so that it is loaded. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  /** How many partitions had been built anew at the first pass. */
  private long rebuilt;

  /**
   * Insertions into a store.
   *
   * @param space its space
   * @param entries its entries
   * @param slots its slots
   * @param cells the cells of its reverse index
   * @param vacancies its unused indices
   * @param runs its runs, whose addresses get no other index; null if they do
   * @param capacity how many indices there are
   * @param single inserts one address: its index or a negative errno
   */
  Ipv4Insertions(
      Space space,
      Entries entries,
      Slots slots,
      HashCells cells,
      Vacancies vacancies,
      @Nullable Runs runs,
      int capacity,
      LongToIntFunction single) {
    this.space = space;
    this.entries = entries;
    this.slots = slots;
    this.cells = cells;
    this.vacancies = vacancies;
    this.runs = runs;
    this.capacity = capacity;
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
    for (int from = start; from < end; from += BATCH) {
      int batch = Math.min(BATCH, end - from);
      for (int i = 0; i < batch; i++) {
        hashes[i] = entries.hashIpv4(addresses[from + i]);
      }
      rebuilt = cells.rebuilt();
      int sum = 0;
      for (int i = 0; i < batch; i++) {
        sum += locate(i);
      }
      touched = sum;
      int done = 0;
      while (done < batch) {
        int fresh = insertFresh(addresses, from + done, done, batch, outcomes);
        if (fresh > 0) {
          added.add(fresh);
        }
        done += fresh;
        if (done < batch) {
          int outcome = single.applyAsInt(addresses[from + done]);
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

  /** Finds the cell that a search for an address begins at, and loads it. */
  private int locate(int i) {
    long hash = hashes[i];
    int partition = cells.partition(hash);
    long word = partition == 0 ? 0 : cells.word(partition);
    int size = PartitionWord.cells(word);
    partitions[i] = partition;
    words[i] = word;
    if (size == 0) {
      return 0;
    }
    int cellBits = PartitionWord.cellBits(word);
    int home = PartitionWord.home(hash, size);
    int unit = cells.block(partition, word, home >>> cellBits);
    homes[i] = home;
    units[i] = unit;
    long offset = space.offset(unit) + 4L * (home & (1 << cellBits) - 1);
    return space.segment(unit).get(JAVA_INT, offset);
  }

  /**
   * Inserts addresses under indices that follow the last one in use, as long as that goes.
   *
   * @return how many were inserted, perhaps none
   */
  private int insertFresh(long[] addresses, int from, int start, int batch, int[] outcomes) {
    int first = vacancies.end();
    int most = Math.min(Math.min(batch - start, capacity - first), Slots.roomFrom(first));
    if (most <= 0 || vacancies.next() != first) {
      return 0;
    }
    MemorySegment page;
    try {
      vacancies.prepare(first);
      slots.ensure(first);
      page = slots.pageOf(first);
    } catch (OutOfMemoryError e) {
      return 0;
    }
    // Lives that had no slots have left their generations elsewhere.
    boolean ordinary = vacancies.nextGeneration(first, most) == 0;
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    long slot = Slots.offset(first);
    int done = 0;
    while (done < most && ordinary) {
      if (present != null && present.findIpv4(addresses[from + done], false) >= 0) {
        break;
      }
      int generation = SlotWord.generation(page.get(JAVA_LONG, slot));
      int index = first + done;
      if (generation >>> SlotWord.LIFE_BITS != 0
          || put(addresses[from + done], start + done, index) != PUT) {
        break;
      }
      long word = SlotWord.ipv4(addresses[from + done]);
      SegmentAccess.longRelease(page, slot, SlotWord.withLife(word, generation));
      outcomes[from + done] = index;
      slot += Long.BYTES;
      done++;
    }
    if (done > 0) {
      vacancies.takeRun(first, done);
    }
    return done;
  }

  /** Gives an address a cell, unless it has one or there is no room. */
  private int put(long address, int i, int index) {
    if (cells.rebuilt() != rebuilt) {
      locate(i);
    }
    long word = words[i];
    int size = PartitionWord.cells(word);
    int indexBits = PartitionWord.indexBits(word);
    int mask = PartitionWord.numberMask(indexBits);
    if (size == 0 || index >= mask || !cells.hasRoom(word)) {
      try {
        cells.prepare(hashes[i], index, true);
      } catch (OutOfMemoryError e) {
        return NOT_PUT;
      }
      locate(i);
      word = words[i];
      size = PartitionWord.cells(word);
      indexBits = PartitionWord.indexBits(word);
      mask = PartitionWord.numberMask(indexBits);
    }
    int cellBits = PartitionWord.cellBits(word);
    int tag = PartitionWord.tag(hashes[i], indexBits);
    int at = homes[i];
    int unit = units[i];
    MemorySegment target = null;
    long targetOffset = 0;
    while (true) {
      MemorySegment block = space.segment(unit);
      long base = space.offset(unit);
      int end = 1 << cellBits;
      for (int j = at & (end - 1); j < end; j++) {
        int cell = block.get(JAVA_INT, base + 4L * j);
        if (cell == 0) {
          if (target == null) {
            target = block;
            targetOffset = base + 4L * j;
          }
          cells.fill(word, target, targetOffset, cell(tag, index));
          return PUT;
        }
        int candidate = cell ^ tag;
        if ((candidate & ~mask) == 0 && candidate != 0) {
          if (entries.holdsIpv4(candidate - 1, entries.word(candidate - 1), address)) {
            return NOT_PUT;
          }
        } else if (cell == PartitionWord.REMOVED && target == null) {
          target = block;
          targetOffset = base + 4L * j;
        }
      }
      at = HashCells.nextBlock(at, cellBits, size);
      unit = cells.block(partitions[i], word, at >>> cellBits);
    }
  }

  private static int cell(int tag, int index) {
    return tag | index + 1;
  }
}
