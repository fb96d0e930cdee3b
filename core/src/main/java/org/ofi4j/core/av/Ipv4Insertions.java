package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
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

  private final Space space;
  private final Entries entries;
  private final Slots slots;
  private final HashCells cells;
  private final Partitions partitions;
  private final KnownPartitions known;
  private final Vacancies vacancies;
  private final @Nullable Runs runs;
  private final int capacity;
  private final LongToIntFunction single;

  private final long[] hashes = new long[ReverseIndex.TOGETHER];
  private final long[] words = new long[ReverseIndex.TOGETHER];
  private final int[] units = new int[ReverseIndex.TOGETHER];

  /** What was loaded goes here, so that it is loaded. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

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
    this.partitions = cells.partitions();
    this.known = partitions.known();
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
    for (int from = start; from < end; from += ReverseIndex.TOGETHER) {
      int batch = Math.min(ReverseIndex.TOGETHER, end - from);
      for (int i = 0; i < batch; i++) {
        hashes[i] = entries.hashIpv4(addresses[from + i]);
      }
      locate(batch);
      touch(batch);
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

  /** Finds the lines that searches for addresses begin at. */
  private void locate(int batch) {
    try {
      known.follow(cells.directory());
    } catch (OutOfMemoryError e) {
      // Each address will be told.
      Arrays.fill(words, 0, batch, 0);
      Arrays.fill(units, 0, batch, 0);
      return;
    }
    for (int i = 0; i < batch; i++) {
      long hash = hashes[i];
      long word = known.word(hash);
      words[i] = word;
      // The root does for those that have no line yet: it can be loaded as well.
      units[i] = PartitionWord.blocks(word) == 0 ? 0 : known.home(hash, word);
    }
  }

  /** Loads a cell of each line: in a loop with little in it many misses are under way at once. */
  private void touch(int batch) {
    int sum = 0;
    for (int i = 0; i < batch; i++) {
      int unit = units[i];
      sum += space.segment(unit).get(JAVA_INT, space.offset(unit));
    }
    touched = sum;
  }

  /**
   * Inserts addresses under indices that follow the last one in use, as long as that goes.
   *
   * @param from the first address
   * @param start which one of the batch that is
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
    if (vacancies.nextGeneration(first, most) != 0) {
      return 0;
    }
    Runs present = runs == null || Runs.isEmpty(runs.version()) ? null : runs;
    long slot = Slots.offset(first);
    int done = 0;
    int stored = 0;
    while (done < most
        && (present == null || present.findIpv4(addresses[from + done], false) < 0)
        && SlotWord.generation(page.get(JAVA_LONG, slot + 8L * done)) >>> SlotWord.LIFE_BITS == 0) {
      if (!put(start + done, first + done)) {
        // All that are in cells must be there for whoever looks at slots.
        store(addresses, from + stored, page, slot + 8L * stored, done - stored);
        stored = done;
        if (!putWithCare(addresses[from + done], start + done, first + done)) {
          break;
        }
      }
      outcomes[from + done] = first + done;
      done++;
    }
    store(addresses, from + stored, page, slot + 8L * stored, done - stored);
    if (done > 0) {
      cells.added(done);
      vacancies.takeRun(first, done);
    }
    return done;
  }

  /** Publishes addresses that have cells, in slots that follow each other. */
  private static void store(long[] addresses, int from, MemorySegment page, long slot, int count) {
    // The cells go before the slots.
    VarHandle.releaseFence();
    for (int i = 0; i < count; i++) {
      long offset = slot + 8L * i;
      int generation = SlotWord.generation(page.get(JAVA_LONG, offset));
      long word = SlotWord.ipv4(addresses[from + i]);
      page.set(JAVA_LONG, offset, SlotWord.withLife(word, generation));
    }
  }

  /** Gives an address a cell if that is plain to do. */
  private boolean put(int i, int index) {
    long hash = hashes[i];
    long word = words[i];
    int indexBits = PartitionWord.indexBits(word);
    int unit = units[i];
    if (unit == 0 || index >= PartitionWord.numberMask(indexBits) || known.word(hash) != word) {
      return false;
    }
    // Of a length that the compiler knows: no bounds are checked for what is at fixed places.
    MemorySegment line = space.segment(unit).asSlice(space.offset(unit), Space.UNIT_BYTES);
    int tag = PartitionWord.tag(hash, indexBits);
    if (CellLine.hasTagged(line, 0, tag, indexBits)
        || !CellLine.hasFree(line, 0)
        || !cells.takeRoom(word)) {
      return false;
    }
    line.set(JAVA_INT, CellLine.firstFree(line, 0), tag | index + 1);
    return true;
  }

  /**
   * Gives an address a cell.
   *
   * @return false if it has one, or there is no memory
   */
  private boolean putWithCare(long address, int i, int index) {
    long hash = hashes[i];
    try {
      cells.prepare(hash, index, true);
    } catch (OutOfMemoryError e) {
      return false;
    }
    Directory present = cells.directory();
    known.follow(present);
    int partition = present.partition(present.place(hash));
    long word = partitions.word(partition);
    int indexBits = PartitionWord.indexBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int line = PartitionWord.home(hash, PartitionWord.lines(word));
    MemorySegment target = null;
    long targetOffset = 0;
    while (true) {
      int unit = partitions.line(partition, word, line);
      MemorySegment block = space.segment(unit);
      long offset = space.offset(unit);
      long tagged = CellLine.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = CellLine.withoutFirst(tagged)) {
        long at = CellLine.offset(offset, tagged);
        int candidate = (block.get(JAVA_INT, at) ^ tag) - 1;
        if (candidate < 0) {
          continue;
        }
        long slot = entries.word(candidate);
        if (entries.holdsIpv4(candidate, slot, address)) {
          return false;
        }
        if (!SlotWord.isLive(slot)) {
          // Its entry left it behind.
          target = block;
          targetOffset = at;
        }
      }
      long usable = CellLine.usable(block, offset);
      if (target == null && usable != 0) {
        target = block;
        targetOffset = CellLine.offset(offset, usable);
      }
      if (target != null && CellLine.hasFree(block, offset)) {
        cells.fill(present, word, target, targetOffset, tag | index + 1);
        return true;
      }
      line = PartitionWord.nextLine(line, word);
    }
  }
}
