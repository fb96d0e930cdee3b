// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * A hash table of four-byte cells, each a number. The meaning of a number is up to the user of the
 * table: a cell is a hint where to look.
 *
 * <p>Words in the root, of which the first says where hashes are found; tables and cells are drawn
 * in {@link Table}:
 *
 * <pre>
 *    0   view (8)
 *    8   descriptor of one {@link Table} (16)
 *   24   descriptor of the other (16)
 *   40   numbers in the table (4)
 *   44   units of blocks and lists (4)
 *
 *   view   63 ... 31   30       29     28 ... 0
 *          version  | moving | side | frontier
 *
 *   version    grows when one table takes the place of another
 *   moving     both tables are in use: the next one has what the present one had before the frontier
 *   side       which of the descriptors is that of the present table
 *   frontier   the first bucket of the present table that was not moved
 * </pre>
 *
 * <p>A change is one store of a cell: insertion fills one that is free or has lost its meaning,
 * removal marks it. A table that is full, or nearly empty, is moved into another one in steps of
 * some hundred cells, each a part of some insertion or removal. A step copies cells that belong
 * together, up to a bucket with a free cell, and leaves out those of numbers that have no meaning
 * any more; then it stores the view. The blocks before the frontier are used again at once.
 *
 * <p><b>Memory order.</b> A reader ({@link HashLookups}) loads the view with acquire, finds the
 * table that has the hash, searches it, and loads the view again behind a load fence. If it has not
 * changed, the table was in use all the time, and its blocks were no other's: the writer stores the
 * view with release, and frees blocks behind a store fence after that. A number that a {@link
 * Match} confirms may be used without the second load, by a caller that can tell by the number
 * alone that it is right.
 *
 * <p><b>Counts.</b> The writer counts in fields. A change of a table that several processes share
 * begins with {@link #follow} and ends with {@link #publish}, so the root has the counts of the
 * last change that ended. A private table stores them there only before it is copied to a file.
 *
 * <p>One thread at a time writes. All methods are for the writer, except those that say otherwise.
 */
public final class HashTable {
  private static final long DESCRIPTORS = 8;
  public static final int COUNT = 40;
  public static final int UNITS = 44;

  private static final int FRONTIER_BITS = 29;
  private static final int FRONTIER_MASK = (1 << FRONTIER_BITS) - 1;
  private static final long SIDE = 1L << FRONTIER_BITS;
  static final long MOVING = 2 * SIDE;
  private static final int VERSION_SHIFT = FRONTIER_BITS + 2;

  /** No number matches. */
  private static final Match<Void> NOTHING = (block, at, cell, number, key, wanted) -> -1;

  /** Each number matches whose tag is that of the hash. */
  private static final Match<Void> TAGGED = (block, at, cell, number, key, wanted) -> number;

  /** The very number matches. */
  private static final Match<Void> SAME =
      (block, at, cell, number, key, wanted) -> number == wanted ? number : -1;

  /**
   * A step ends at a bucket with a free cell behind so many cells, or behind all that it may move.
   */
  private static final int GATHERED = 256;

  /** Buckets of the next table that get memory ahead of their homes, for cells that overflow. */
  private static final int AHEAD = 33;

  /** Cells that a change moves at least, as long as there are some to be moved. */
  private static final int STEP = 256;

  /** The same for each cell that is filled, so that both tables stay below their limits. */
  private static final int STEPS = 16;

  /** Buckets of a table that stays when it is empty, so that few numbers come and go for little. */
  private static final int KEPT = 16;

  /** Numbers up to which a table is small enough to grow by more. */
  private static final int SMALL = 1 << 15;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;
  private final long hint;
  private final HashLookups lookups;
  private final HashedNumbers meanings;

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
  private int count;
  private long expected;

  /**
   * An empty table. Before a table that the root describes is changed, the writer calls {@link
   * #follow}.
   *
   * @param at where its words are in the root
   * @param expected how many numbers are likely; a hint
   */
  public HashTable(SlabAllocator allocator, long at, HashedNumbers meanings, long expected) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
    this.hint = Math.clamp(expected, 0, Integer.MAX_VALUE);
    this.lookups = new HashLookups(allocator, at);
    this.meanings = meanings;
  }

  // For any thread.

  /** Returns what any thread may ask. */
  public HashLookups lookups() {
    return lookups;
  }

  /** Returns how many numbers there are; for any thread. */
  public int presentCount() {
    return allocator.isShared() ? SegmentAccess.intOpaque(root, at + COUNT) : count;
  }

  /**
   * Returns the bytes of the blocks and of the lists that lead to them, or 0 if there are no
   * numbers; for any thread.
   */
  public long usedBytes() {
    int all = allocator.isShared() ? SegmentAccess.intOpaque(root, at + UNITS) : units;
    return presentCount() == 0 ? 0 : (long) all * SlabAllocator.UNIT_BYTES;
  }

  // For the writer.

  /** Goes on from the root, as another process may have written. */
  public void follow() {
    view = root.get(JAVA_LONG, at);
    present = lookups.ofWriter(view, false);
    next = lookups.ofWriter(view, true);
    used = root.get(JAVA_INT, usedAt(false));
    usedOfNext = isMoving() ? root.get(JAVA_INT, usedAt(true)) : 0;
    units = root.get(JAVA_INT, at + UNITS);
    count = root.get(JAVA_INT, at + COUNT);
  }

  /** Stores the counts that have changed in the root, for other processes. */
  public void publish() {
    publish(usedAt(false), used);
    publish(usedAt(true), usedOfNext);
    publish(at + UNITS, units);
    publish(at + COUNT, count);
  }

  private void publish(long offset, int number) {
    if (root.get(JAVA_INT, offset) != number) {
      SegmentAccess.intOpaque(root, offset, number);
    }
  }

  private long usedAt(boolean ofNext) {
    return at + descriptor(view, ofNext) + Table.USED;
  }

  private boolean isMoving() {
    return next != Table.NONE;
  }

  /** Returns the table that has the cell of a hash, if there is one. */
  private Table of(long hash) {
    return isMoving() && present.homeBucket(hash) < frontier(view) ? next : present;
  }

  /** How many numbers there are. */
  public int count() {
    return count;
  }

  /**
   * Tells how many numbers one call is going to add. If they are many more than there are, they get
   * a table of their size as soon as a small part of them is there.
   *
   * @param more how many; a guess; 0 when the call ends
   */
  public void expect(int more) {
    long all = (long) count + more;
    expected = more >>> 2 > count ? all : 0;
  }

  /**
   * Makes sure that {@link #put} and {@link #replace} have what they need.
   *
   * @param fresh whether it needs a cell
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepare(int number, boolean fresh) {
    prepareMany(fresh ? 1 : 0, number);
  }

  /**
   * As {@link #prepare}, of several numbers.
   *
   * @param more how many cells they need
   * @param largest the largest of them
   * @throws OutOfMemoryError as there
   */
  public void prepareMany(int more, int largest) {
    if (!fits(more, largest)) {
      makeRoom(more, largest);
    }
  }

  private void makeRoom(int more, int largest) {
    int cells = Math.max(STEP, more * STEPS);
    if (isMoving()) {
      // To its end if the next table may become full before.
      step(fitsNext(more, largest) ? cells : Integer.MAX_VALUE);
      if (isMoving() || fits(more, largest)) {
        return;
      }
    }
    // A call that has said how many come gets all of its table, as it takes long anyway.
    boolean atOnce = isTold(more) || !present.fits(largest);
    begin(sizeFor(more), largest, atOnce ? Integer.MAX_VALUE : cells);
  }

  /** Whether many more numbers than those are known to come, as some of them have come. */
  private boolean isTold(int more) {
    long soon = (long) count + more;
    return expected > soon && soon > expected >>> 6;
  }

  /** How many buckets the next table gets that is made for more numbers. */
  private int sizeFor(int more) {
    long live = count;
    long wanted = live + (live >>> 4) + more;
    if (isTold(more)) {
      wanted = Math.max(wanted, expected);
    }
    // A hint that is too large costs little, before a part of the numbers is there.
    if (live + more > hint >>> 4) {
      wanted = Math.max(wanted, hint + (hint >>> 8));
    }
    int buckets = Table.bucketsFor(wanted);
    if (!isTold(more)) {
      // If many cells are tombstones, the same size does, unless it is little.
      long grown = present.buckets();
      if (live > present.limit() * 3L / 4 || present.all() < KEPT / 2) {
        grown = live < SMALL ? 2 * grown : grown + ((grown * 13) >>> 5);
      }
      buckets = (int) Math.max(buckets, Math.min(grown, Table.bucketsFor(Integer.MAX_VALUE)));
    }
    return buckets;
  }

  /** Gives a {@link #prepare prepared} number a cell. */
  public void put(long hash, int number) {
    fillIfAbsent(hash, number, NOTHING, null, 0);
  }

  /**
   * Gives a {@link #prepare prepared} number a cell unless a number matches, as {@link
   * HashLookups#find} has it. The caller makes the cell visible, by a fence or a store with
   * release.
   *
   * @return whether it got one
   */
  public <K> boolean fillIfAbsent(
      long hash, int number, Match<K> match, @Nullable K key, long wanted) {
    boolean filled = fill(of(hash), hash, number, match, key, wanted);
    count += filled ? 1 : 0;
    return filled;
  }

  /**
   * As {@link #fillIfAbsent}, if no cell on the way to a free one has the tag of the hash.
   *
   * @return false if a number with the tag is to be compared, or the number does not fit into a
   *     cell, as {@link #prepareMany} did not know it; then nothing has changed
   */
  public boolean fillIfUntagged(long hash, int number) {
    return of(hash).fits(number) && fillIfAbsent(hash, number, TAGGED, null, 0);
  }

  /** Whether the cells are so few that the cache is likely to hold them. */
  public boolean isSmall() {
    return present.isSmall();
  }

  /**
   * Loads the bucket of a hash into the cache.
   *
   * @return a number that depends on what was loaded
   */
  public int touch(long hash) {
    return of(hash).touch(hash);
  }

  /** Lets the cell of a hash have another number, {@link #prepare prepared}. */
  public void replace(long hash, int from, int to) {
    Table table = of(hash);
    table.replace(hash, from, table.tag(hash) | to + 1);
  }

  /** Takes away the cell of a hash with a number that must still have this hash. */
  public void remove(long hash, int number) {
    // It is not free: a search for what came when it was in use would end there.
    of(hash).replace(hash, number, Table.REMOVED);
    addTombstones(1);
  }

  /**
   * Leaves the cells of numbers without meaning: no search takes them for the one that it looks
   * for, and they are dropped when the table is moved. Only of use where {@link HashedNumbers} can
   * tell.
   */
  public void addTombstones(int cells) {
    count -= cells;
    if (count == 0) {
      if (present.all() > KEPT || isMoving()) {
        clear();
      }
      return;
    }
    try {
      // In small steps: often all numbers are gone before the last one.
      if (isMoving()) {
        step(4 * cells);
      } else if (present.buckets() > STEP && count < present.limit() >>> 4) {
        // With cells for all numbers that may come while so many buckets are moved.
        begin(Table.bucketsFor(2L * count + present.all()), 0, 4 * cells);
      }
    } catch (OutOfMemoryError e) {
      // It stays as large as it is, which harms no search.
    }
  }

  /**
   * Takes numbers for a table that takes the place of all cells; for a writer that follows one that
   * died. Numbers that are known to be different are added many at a time, so that the cache misses
   * of their buckets overlap.
   */
  public final class Rebuild {
    private final long[] hashes = new long[STEP];
    private final int[] numbers = new int[STEP];
    private int waiting;

    private Rebuild() {}

    /** Gives a number a cell that matches none that were given before. */
    public void add(long hash, int number) {
      hashes[waiting] = hash;
      numbers[waiting++] = number;
      if (waiting == STEP) {
        flush();
      }
    }

    /**
     * Gives a number a cell, unless one that was given before matches.
     *
     * @param key passed to the match
     * @return the number that matches, or -1
     */
    public <K> int addIfAbsent(long hash, int number, Match<K> match, K key) {
      int found = next.search(hash, match, key, 0);
      if (found < 0) {
        add(hash, number);
        flush();
      }
      return found;
    }

    private void flush() {
      int sum = 0;
      for (int i = 0; i < waiting; i++) {
        sum += next.touch(hashes[i]);
      }
      touched = sum;
      for (int i = 0; i < waiting; i++) {
        append(hashes[i], numbers[i]);
      }
      count += waiting;
      waiting = 0;
    }
  }

  /**
   * Replaces all cells by those of a new table, in one store. Until then, readers find what they
   * found before.
   *
   * @param most how many numbers there will be at most
   * @param largest the largest of them
   * @param numbers adds them
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  public void rebuild(int most, int largest, Consumer<Rebuild> numbers) {
    follow();
    while (isMoving()) {
      step(Integer.MAX_VALUE);
    }
    units = 0;
    usedOfNext = 0;
    if (most > 0) {
      int buckets = Table.bucketsFor(most + (most >>> 4));
      int bits = Table.bitsFor(Math.max(largest, Table.limit(buckets)));
      next = Table.create(allocator, at + descriptor(view, true), buckets, bits);
      units = SlabAllocator.sizeOf(next.listUnits());
      addBlocks(next.all());
    } else {
      root.set(JAVA_INT, at + descriptor(view, true), 0);
    }
    count = 0;
    Rebuild rebuild = new Rebuild();
    numbers.accept(rebuild);
    rebuild.flush();
    Table before = present;
    // A writer that died in clear() leaves a move without a next table.
    int frontier = frontier(view);
    int unitsOfRebuilt = units;
    used = usedOfNext;
    usedOfNext = 0;
    show(otherSide(view), next, Table.NONE);
    free(before, frontier);
    units = unitsOfRebuilt;
  }

  /** Whether the present table is not moving and has space for more numbers up to the largest. */
  private boolean fits(int more, int largest) {
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
  private <K> boolean fill(
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
  private void begin(int buckets, int largest, int cells) {
    int bits = Table.bitsFor(Math.max(largest, Table.limit(buckets)));
    if (present != Table.NONE) {
      bits = Math.max(bits, present.indexBits());
    }
    Table created = Table.create(allocator, at + descriptor(view, true), buckets, bits);
    units += SlabAllocator.sizeOf(created.listUnits());
    usedOfNext = 0;
    show(side(view) | MOVING, present, created);
    try {
      step(cells);
    } catch (OutOfMemoryError e) {
      if (isMoving() && frontier(view) == 0) {
        show(side(view), present, Table.NONE);
        free(created, 0);
      }
      throw e;
    }
  }

  /**
   * Moves cells to the next table.
   *
   * @param cells how many are enough
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  private void step(int cells) {
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
    int frontier = frontier(view);
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
      view = withFrontier(view, to);
      store();
      freeBlocks(before, from / before.blockUnits(), to / before.blockUnits());
      return;
    }
    used = usedOfNext;
    usedOfNext = 0;
    show(otherSide(view), next, Table.NONE);
    free(before, from);
  }

  // Tables that go.

  /** Begins again without a table; for a table without numbers. */
  private void clear() {
    Table before = present;
    Table nextBefore = next;
    int frontier = frontier(view);
    used = 0;
    usedOfNext = 0;
    root.set(JAVA_INT, at + descriptor(view, true), 0);
    show(otherSide(view), Table.NONE, Table.NONE);
    free(before, frontier);
    free(nextBefore, 0);
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
    view = ((version(view) + 1) << VERSION_SHIFT) | rest;
    present = nowPresent;
    next = nowNext;
    store();
    lookups.know(view, nowPresent, nowNext);
  }

  private void store() {
    SegmentAccess.longRelease(root, at, view);
    // Memory that is not in use any more is written to after the view.
    VarHandle.storeStoreFence();
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  public long movedCells() {
    return moved;
  }

  // The view.

  public static int frontier(long view) {
    return (int) view & FRONTIER_MASK;
  }

  static long withFrontier(long view, int frontier) {
    return (view & ~FRONTIER_MASK) | frontier;
  }

  public static boolean isMoving(long view) {
    return (view & MOVING) != 0;
  }

  static long side(long view) {
    return view & SIDE;
  }

  static long otherSide(long view) {
    return (view & SIDE) ^ SIDE;
  }

  /** The offset of the descriptor of the present table, or of the next one. */
  public static long descriptor(long view, boolean next) {
    return DESCRIPTORS + ((view & SIDE) != 0 == next ? 0 : Table.DESCRIPTOR_BYTES);
  }

  static long version(long view) {
    return view >>> VERSION_SHIFT;
  }
}
