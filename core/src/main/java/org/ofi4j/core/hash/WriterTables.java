// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * The tables that the writer of a {@link HashTable} fills: the present one and, during a move, the
 * next one. A move takes the cells from front to back and leaves out those of numbers that have no
 * meaning any more.
 *
 * <p>The writer's state is on the heap; the root has the view and the descriptors, which readers
 * need. Every store of the view is here.
 */
final class WriterTables {
  private static final Match<Void> SAME =
      (block, at, cell, number, key, wanted) -> number == wanted ? number : -1;

  /**
   * A step ends at a bucket with a free cell behind so many cells, or behind all that it may move.
   */
  private static final int GATHERED = 256;

  /** Buckets of the next table that get memory ahead of their homes, for cells that overflow. */
  private static final int AHEAD = 33;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;
  private final HashedNumbers meanings;
  private final HashLookups lookups;

  private long view;
  private Table present = Table.NONE;
  private Table next = Table.NONE;

  /** Cells that are not free: of the present table without those that were moved. */
  private int used;

  private int usedOfNext;

  /** Units of blocks and lists. */
  private int units;

  /** Numbers that a step has gathered, and their hashes. */
  private int[] numbers = {};

  private long[] hashes = {};
  private int gathered;

  /** A sum of loaded words, which makes the compiler keep the loads. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  private long moved;

  WriterTables(SlabAllocator allocator, long at, HashedNumbers meanings, HashLookups lookups) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
    this.meanings = meanings;
    this.lookups = lookups;
  }

  /** Loads the state from the root, as another process may have written. */
  void follow() {
    view = root.get(JAVA_LONG, at);
    present = lookups.ofWriter(view, false);
    next = lookups.ofWriter(view, true);
    used = root.get(JAVA_INT, usedAt(false));
    usedOfNext = isMoving() ? root.get(JAVA_INT, usedAt(true)) : 0;
    units = root.get(JAVA_INT, at + TableView.UNITS);
  }

  /** Stores the counts that have changed in the root, for other processes. */
  void publish() {
    publish(usedAt(false), used);
    publish(usedAt(true), usedOfNext);
    publish(at + TableView.UNITS, units);
  }

  /** Stores a number in the root if it is another one. */
  void publish(long offset, int number) {
    if (root.get(JAVA_INT, offset) != number) {
      SegmentAccess.intOpaque(root, offset, number);
    }
  }

  private long usedAt(boolean ofNext) {
    return at + TableView.descriptor(view, ofNext) + Table.USED;
  }

  Table present() {
    return present;
  }

  boolean isMoving() {
    return next != Table.NONE;
  }

  /** Returns the units of all blocks and lists. */
  int units() {
    return units;
  }

  /** Returns how many cells were moved so far. */
  long moved() {
    return moved;
  }

  /** Returns the table that has the cell of a hash, if there is one. */
  Table of(long hash) {
    return isMoving() && present.homeBucket(hash) < TableView.frontier(view) ? next : present;
  }

  /** Whether the present table is not moving and has space for more numbers up to the largest. */
  boolean fits(int more, int largest) {
    return !isMoving() && present.fits(largest) && (long) used + more <= present.limit();
  }

  /** As {@link #fits}, of the next table. */
  private boolean fitsNext(int more, int largest) {
    return present.fits(largest) && next.fits(largest) && (long) usedOfNext + more <= next.limit();
  }

  /**
   * Gives a number a cell, unless a number matches. A cell that has lost its meaning is taken, so
   * that the way of an address that comes and goes does not become longer and longer.
   *
   * @return whether it got one
   * @throws IllegalStateException if there is no free cell
   */
  <K> boolean fill(
      Table table, long hash, int number, Match<K> match, @Nullable K key, long wanted) {
    int tag = table.tag(hash);
    int filled = tag | number + 1;
    MemorySegment stale = null;
    long staleAt = 0;
    long home = table.home(hash);
    for (int bucket = Table.bucket(home); bucket < table.all(); bucket++) {
      MemorySegment block = block(table, bucket);
      long start = table.start(bucket);
      for (int i = 0; i < Table.CELLS; i++) {
        long at = start + Table.offset(home, i);
        int cell = block.get(JAVA_INT, at);
        if (cell == 0) {
          if (stale != null) {
            stale.set(JAVA_INT, staleAt, filled);
          } else {
            block.set(JAVA_INT, at, filled);
            countUsed(table);
          }
          return true;
        }
        int other = table.number(cell, tag);
        if (other >= 0 && match.look(block, at, cell, other, key, wanted) >= 0) {
          return false;
        }
        // The number of a stale cell has no meaning any more, or one with another tag.
        if (stale == null
            && (cell == Table.REMOVED
                || (other >= 0 && table.tag(meanings.hash(other, ~hash)) != tag))) {
          stale = block;
          staleAt = at;
        }
      }
      home = 0;
    }
    throw new IllegalStateException("no place for hash " + Long.toHexString(hash));
  }

  /** Returns the block of a bucket, which the next table gets when cells overflow into it. */
  private MemorySegment block(Table table, int bucket) {
    MemorySegment block = table.block(bucket);
    if (block == null && table == next) {
      addBlock(bucket / next.blockUnits());
      block = table.block(bucket);
    }
    if (block == null) {
      throw new IllegalStateException("bucket " + bucket + " has no memory");
    }
    return block;
  }

  private void countUsed(Table table) {
    if (table == next) {
      usedOfNext++;
    } else {
      used++;
    }
  }

  // Moves.

  /**
   * Begins a move.
   *
   * @param buckets the number of buckets of the next table
   * @param largest a number that fits into its cells
   * @param cells how many cells are moved at once
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void begin(int buckets, int largest, int cells) {
    int bits = Table.bitsFor(Math.max(largest, Table.limit(buckets)));
    if (present != Table.NONE) {
      bits = Math.max(bits, present.indexBits());
    }
    Table created = Table.create(allocator, at + TableView.descriptor(view, true), buckets, bits);
    units += SlabAllocator.sizeOf(created.listUnits());
    usedOfNext = 0;
    show(TableView.side(view) | TableView.MOVING, present, created);
    try {
      step(cells);
    } catch (OutOfMemoryError e) {
      if (isMoving() && TableView.frontier(view) == 0) {
        show(TableView.side(view), present, Table.NONE);
        free(created, 0);
      }
      throw e;
    }
  }

  /**
   * Goes on with a move, to its end if the next table may become full before.
   *
   * @param cells how many cells are moved if there is space for the numbers
   * @param more how many numbers are to be added
   * @throws OutOfMemoryError as {@link #step}
   */
  void step(int cells, int more, int largest) {
    step(fitsNext(more, largest) ? cells : Integer.MAX_VALUE);
  }

  /**
   * Moves cells to the next table.
   *
   * @param cells how many are enough
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  void step(int cells) {
    int left = cells;
    while (left > 0 && isMoving()) {
      left -= stepOnce(left);
    }
  }

  /**
   * Moves cells, up to a bucket with a free one: no search passes over that.
   *
   * @param most how many cells are enough
   * @return how many cells were looked at; at least 1
   */
  private int stepOnce(int most) {
    int frontier = TableView.frontier(view);
    int end = frontier;
    gathered = 0;
    int usedCells = 0;
    boolean hasFree = true;
    while (end < present.all()
        && (!hasFree || (end - frontier) * Table.CELLS < Math.min(most, GATHERED))) {
      int usedOfBucket = gather(end);
      usedCells += usedOfBucket;
      hasFree = usedOfBucket < Table.CELLS;
      end++;
    }
    int live = meanings.hash(numbers, gathered, hashes);
    // Blocks for all of them first.
    int reach =
        end == present.all()
            ? next.all()
            : (int) Math.min(next.all(), (long) end * next.buckets() / present.buckets() + AHEAD);
    addBlocks(reach);
    for (int i = 0; i < live; i++) {
      // A tombstone whose number has come again may have another hash.
      int home = present.homeBucket(hashes[i]);
      if (home >= frontier && home < end) {
        append(hashes[i], numbers[i]);
      }
    }
    moved += gathered;
    used -= usedCells;
    advance(frontier, end);
    return Math.max((end - frontier) * Table.CELLS, 1);
  }

  /** Gathers the numbers of a bucket; returns how many of its cells are not free. */
  private int gather(int bucket) {
    if (numbers.length < gathered + Table.CELLS) {
      int length = Math.max(2 * numbers.length, 2 * GATHERED);
      // Both or none.
      long[] wider = Arrays.copyOf(hashes, length);
      numbers = Arrays.copyOf(numbers, length);
      hashes = wider;
    }
    MemorySegment block = block(present, bucket);
    long start = present.start(bucket);
    int mask = -1 >>> (Integer.SIZE - present.indexBits());
    int count = gathered;
    int usedCells = 0;
    for (int i = 0; i < Table.CELLS; i++) {
      int cell = block.get(JAVA_INT, start + i * 4L);
      // Without branches: the next number overwrites one that is none.
      numbers[count] = (cell & mask) - 1;
      count += (cell & mask) == 0 ? 0 : 1;
      usedCells += cell == 0 ? 0 : 1;
    }
    gathered = count;
    return usedCells;
  }

  private void addBlocks(int reach) {
    int blocks = Math.ceilDiv(reach, next.blockUnits());
    int first = blocks;
    while (first > 0 && next.blockUnit(first - 1) == 0) {
      first--;
    }
    for (int block = first; block < blocks; block++) {
      addBlock(block);
    }
  }

  private void addBlock(int block) {
    next.addBlock(block, allocator.allocate(next.blockUnits()));
    units += next.blockUnits();
  }

  /**
   * Gives a number a cell of the next table, unless it has one: as two cells of the present one led
   * to it, or of a step that memory ran out in. The store of the view releases the cell.
   */
  private void append(long hash, int number) {
    fill(next, hash, number, SAME, null, number);
  }

  /** Shows that all buckets before one are in the next table, and frees their blocks. */
  private void advance(int from, int to) {
    Table before = present;
    if (to < before.all()) {
      view = TableView.withFrontier(view, to);
      store();
      freeBlocks(before, from / before.blockUnits(), to / before.blockUnits());
      return;
    }
    used = usedOfNext;
    usedOfNext = 0;
    show(TableView.otherSide(view), next, Table.NONE);
    free(before, from);
  }

  // Recovery.

  /**
   * Begins a table without cells, which no reader sees before {@link #endRebuild}. Its memory is
   * lost to this writer if {@link #addRebuilt} fails.
   *
   * @param numbers how many numbers it gets
   * @param largest a number that fits into its cells
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  void beginRebuild(int numbers, int largest) {
    follow();
    while (isMoving()) {
      step(Integer.MAX_VALUE);
    }
    units = 0;
    usedOfNext = 0;
    if (numbers > 0) {
      int buckets = Table.bucketsFor(numbers + (numbers >>> 4));
      int bits = Table.bitsFor(Math.max(largest, Table.limit(buckets)));
      next = Table.create(allocator, at + TableView.descriptor(view, true), buckets, bits);
      units = SlabAllocator.sizeOf(next.listUnits());
      addBlocks(next.all());
    } else {
      root.set(JAVA_INT, at + TableView.descriptor(view, true), 0);
    }
  }

  /** Finds a number in the table that is being rebuilt. */
  <K> int findRebuilt(long hash, Match<K> match, K key) {
    return next.search(hash, match, key, 0);
  }

  /** Gives numbers cells in the table that is being rebuilt. */
  void addRebuilt(long[] hashes, int[] numbers, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += next.touch(hashes[i]);
    }
    touched = sum;
    for (int i = 0; i < count; i++) {
      append(hashes[i], numbers[i]);
    }
  }

  /** Lets readers find what is in the table that was rebuilt. */
  void endRebuild() {
    Table before = present;
    // A writer that died in clear() leaves a move without a next table.
    int frontier = TableView.frontier(view);
    int unitsOfRebuilt = units;
    used = usedOfNext;
    usedOfNext = 0;
    show(TableView.otherSide(view), next, Table.NONE);
    free(before, frontier);
    units = unitsOfRebuilt;
  }

  // Tables that go.

  /** Begins again without a table; for a table without numbers. */
  void clear() {
    Table before = present;
    Table nextBefore = next;
    int frontier = TableView.frontier(view);
    used = 0;
    usedOfNext = 0;
    root.set(JAVA_INT, at + TableView.descriptor(view, true), 0);
    show(TableView.otherSide(view), Table.NONE, Table.NONE);
    free(before, frontier);
    free(nextBefore, 0);
  }

  /**
   * Makes all cells of the present table free, for a table without numbers. A search that sees a
   * cell become free has missed no number, as there was none at that moment.
   */
  void clearCells() {
    for (int block = 0; block < present.blocks(); block++) {
      MemorySegment cells = present.block(block * present.blockUnits());
      if (cells != null) {
        cells.fill((byte) 0);
      }
    }
    used = 0;
  }

  /**
   * Frees a table that is not in use any more.
   *
   * @param from the first bucket that was not moved
   */
  private void free(Table table, int from) {
    if (table != Table.NONE) {
      freeBlocks(table, from / table.blockUnits(), table.blocks());
      allocator.free(table.list(), table.listUnits());
      units -= SlabAllocator.sizeOf(table.listUnits());
    }
  }

  private void freeBlocks(Table table, int from, int to) {
    for (int block = from; block < to; block++) {
      int unit = table.blockUnit(block);
      if (unit != 0) {
        allocator.free(unit, table.blockUnits());
        units -= table.blockUnits();
      }
    }
  }

  // Stores of the view.

  /** Stores a view of the next version. */
  private void show(long rest, Table nowPresent, Table nowNext) {
    view = TableView.nextVersion(view) | rest;
    present = nowPresent;
    next = nowNext;
    store();
    lookups.changed(view, nowPresent, nowNext);
  }

  private void store() {
    SegmentAccess.longRelease(root, at, view);
    // Memory that is not in use any more is written to after the view.
    VarHandle.storeStoreFence();
  }
}
