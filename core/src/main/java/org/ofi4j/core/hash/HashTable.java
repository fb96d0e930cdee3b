// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * A hash table of four-byte cells, each a number. The meaning of a number is up to the user of the
 * table: a cell is a hint where to look.
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
 * <p>A change is one store of a cell: insertion fills one that was free, removal marks it. A table
 * that is full, or nearly empty, is moved into another one in steps of some hundred cells, each a
 * part of some insertion or removal. A step copies cells that belong together, up to a bucket with
 * a free cell, and then stores the view; the blocks before the frontier are used again at once.
 *
 * <p><b>Memory order.</b> A reader loads the view with acquire, finds the table that has the hash,
 * searches it, and loads the view again behind a load fence. If it has not changed, the table was
 * in use all the time, and its blocks were no other's: the writer stores the view with release, and
 * frees blocks behind a store fence after that. A number that a {@link Match} confirms may be used
 * without the second load, by a caller that can tell by the number alone that it is right.
 *
 * <p>One thread at a time writes. Searches never wait for it.
 */
public final class HashTable {
  /** The answer of a {@link Match} if a search has to be made again. */
  public static final int CHANGED = -2;

  /** Tells a number that is searched for from others; for any thread, and any number. */
  public interface Match<K> {
    /**
     * Looks at the meaning of a number.
     *
     * @param block memory with its cell
     * @param at where in that memory the cell is
     * @param cell the value of the cell
     * @param key what is searched for, as it was passed to {@link #find}; so is {@code wanted}
     * @return the number, if it is the one; -1 if not; {@link #CHANGED} if the look came to nothing
     *     because of a change
     */
    int look(MemorySegment block, long at, int cell, int number, @Nullable K key, long wanted);
  }

  private static final Match<Void> NOTHING = (block, at, cell, number, key, wanted) -> -1;
  private static final Match<Void> SAME =
      (block, at, cell, number, key, wanted) -> number == wanted ? number : -1;

  /** No view changes so often while one search is made: the memory is damaged. */
  private static final int MOST_LOOKS = 1 << 20;

  private static final long DESCRIPTORS = 8;
  public static final int COUNT = 40;
  public static final int UNITS = 44;

  private static final int FRONTIER_BITS = 29;
  private static final int FRONTIER_MASK = (1 << FRONTIER_BITS) - 1;
  private static final long SIDE = 1L << FRONTIER_BITS;
  private static final long MOVING = 2 * SIDE;
  private static final int VERSION_SHIFT = FRONTIER_BITS + 2;

  /** Cells that a change moves at least, as long as there are some to be moved. */
  private static final int STEP = 256;

  /** The same for each cell that is filled, so that both tables stay below their limits. */
  private static final int STEPS = 16;

  /** Buckets of a table that stays when it is empty, so that few numbers come and go for little. */
  private static final int KEPT = 16;

  /** Numbers up to which a table is small enough to grow by more. */
  private static final int SMALL = 1 << 15;

  /**
   * The tables of a view, in this process.
   *
   * @param next {@link Table#NONE} unless the table is moving
   */
  record Tables(long version, Table present, Table next) {
    static final Tables NONE = new Tables(0, Table.NONE, Table.NONE);

    /** The table that has the cell of a hash, if there is one. */
    Table of(long hash, long view) {
      return (view & MOVING) != 0 && present.home(hash) < frontier(view) ? next : present;
    }
  }

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;
  private final long hint;
  private final HashedNumbers meanings;
  private final TableMove move;

  /** Tables of the latest view that a thread has come to; complete, as all of it is final. */
  private Tables tables = Tables.NONE;

  // Of the writer.
  private long expected;
  private MemorySegment place;
  private long placeOffset;

  /** The table that prepared numbers are filled into; {@link Table#NONE} while it moves. */
  private Table filling = Table.NONE;

  /** How many were, and are not counted yet. */
  private int filled;

  /**
   * An empty table, or the one that the root tells of.
   *
   * @param at where its words are in the root
   * @param expected how many numbers are likely; a hint
   */
  public HashTable(SlabAllocator allocator, long at, HashedNumbers meanings, long expected) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
    this.hint = Math.clamp(expected, 0, Integer.MAX_VALUE);
    this.meanings = meanings;
    this.move = new TableMove(allocator, this, meanings);
    this.place = root;
  }

  // The view, for any thread.

  public static int frontier(long view) {
    return (int) view & FRONTIER_MASK;
  }

  public static boolean isMoving(long view) {
    return (view & MOVING) != 0;
  }

  /** The offset of the descriptor of the present table, or of the next one. */
  public static long descriptor(long view, boolean next) {
    return DESCRIPTORS + ((view & SIDE) != 0 == next ? 0 : Table.DESCRIPTOR_BYTES);
  }

  private static long version(long view) {
    return view >>> VERSION_SHIFT;
  }

  private long view() {
    return SegmentAccess.longAcquire(root, at);
  }

  /** Whether the view has not changed since it was loaded, before cells were. */
  private boolean isCurrent(long view) {
    VarHandle.acquireFence();
    return SegmentAccess.longOpaque(root, at) == view;
  }

  /** The tables of a view that was loaded; null if there is another view by now. */
  private @Nullable Tables tables(long view) {
    Tables known = tables;
    return known.version() == version(view) ? known : arrived(view);
  }

  private @Nullable Tables arrived(long view) {
    Table present;
    Table next = Table.NONE;
    try {
      present = Table.of(allocator, at + descriptor(view, false));
      if (isMoving(view)) {
        next = Table.of(allocator, at + descriptor(view, true));
      }
    } catch (IllegalStateException torn) {
      if (isCurrent(view)) {
        throw torn;
      }
      return null;
    }
    VarHandle.acquireFence();
    if (version(SegmentAccess.longOpaque(root, at)) != version(view)) {
      return null;
    }
    Tables found = new Tables(version(view), present, next);
    tables = found;
    return found;
  }

  /**
   * Finds a number; for any thread.
   *
   * @param match tells it from others
   * @param key passed to that
   * @param wanted the same
   * @return a number that matches, or -1
   */
  public <K> int find(long hash, Match<K> match, @Nullable K key, long wanted) {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      long view = view();
      Tables known = tables(view);
      if (known != null) {
        int found = known.of(hash, view).search(hash, match, key, wanted);
        if (found != CHANGED && isCurrent(view)) {
          if (found == Table.UNREADABLE) {
            break;
          }
          return found;
        }
      }
    }
    throw new IllegalStateException("hash " + Long.toHexString(hash) + " cannot be searched for");
  }

  /**
   * The table that is likely to have a hash, for a thread that can tell by a number alone whether
   * it is right.
   */
  public Table likely(long hash) {
    Tables known = tables;
    return known.next() == Table.NONE ? known.present() : known.of(hash, root.get(JAVA_LONG, at));
  }

  /** Whether there were no numbers, when this was called. */
  public boolean isEmpty() {
    return presentCount() == 0;
  }

  /** As {@link #count}, for any thread. */
  public int presentCount() {
    return SegmentAccess.intOpaque(root, at + COUNT);
  }

  /** Bytes of the blocks and of the lists that lead to them; 0 if there are no numbers. */
  public long usedBytes() {
    return isEmpty()
        ? 0
        : (long) SegmentAccess.intOpaque(root, at + UNITS) * SlabAllocator.UNIT_BYTES;
  }

  // For the writer.

  private Tables tablesOfWriter() {
    Tables known = tables(root.get(JAVA_LONG, at));
    if (known == null) {
      throw new IllegalStateException("another thread writes to a hash table");
    }
    return known;
  }

  /** How many numbers there are. */
  public int count() {
    return root.get(JAVA_INT, at + COUNT);
  }

  private void count(int more) {
    root.set(JAVA_INT, at + COUNT, count() + more);
  }

  /**
   * Tells how many numbers one call is going to add. If they are many more than there are, they get
   * a table of their size as soon as a small part of them is there.
   *
   * @param more how many; a guess; 0 when the call ends
   */
  public void expect(int more) {
    long all = (long) count() + more;
    expected = more >>> 2 > count() ? all : 0;
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
    settle();
    Tables known = tablesOfWriter();
    if (known.next() != Table.NONE || !hasRoom(known.present(), more, largest)) {
      filling = Table.NONE;
      makeRoom(more, largest);
      known = tablesOfWriter();
    }
    filling = known.next() == Table.NONE ? known.present() : Table.NONE;
  }

  private boolean hasRoom(Table present, int more, int largest) {
    return present.fits(largest) && (long) used(false) + more <= present.limit();
  }

  private void makeRoom(int more, int largest) {
    Tables known = tablesOfWriter();
    if (known.next() != Table.NONE) {
      boolean fits =
          known.present().fits(largest)
              && known.next().fits(largest)
              && (long) used(true) + more <= known.next().limit();
      known = step(fits ? Math.max(STEP, more * STEPS) : Integer.MAX_VALUE);
      if (known.next() != Table.NONE) {
        return;
      }
    }
    if (hasRoom(known.present(), more, largest)) {
      return;
    }
    // A call that has said how many come gets all of its table, as it takes long anyway.
    boolean atOnce = isTold(more) || !known.present().fits(largest);
    begin(sizeFor(known.present(), more), largest);
    beginStep(atOnce ? Integer.MAX_VALUE : Math.max(STEP, more * STEPS));
  }

  /** Whether many more numbers than those are known to come, as some of them have come. */
  private boolean isTold(int more) {
    long soon = (long) count() + more;
    return expected > soon && soon > expected >>> 6;
  }

  /** How many buckets the next table gets that is made for more numbers. */
  private int sizeFor(Table present, int more) {
    long live = count();
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

  private void begin(int buckets, int largest) {
    long view = root.get(JAVA_LONG, at);
    Tables known = tablesOfWriter();
    int bits = Table.bitsFor(Math.max(largest, Table.limit(buckets)));
    if (known.present() != Table.NONE) {
      bits = Math.max(bits, known.present().indexBits());
    }
    Table next = Table.create(allocator, at + descriptor(view, true), buckets, bits);
    addUnits(SlabAllocator.sizeOf(next.listUnits()));
    publish((view & SIDE) | MOVING, known.present(), next);
  }

  /** Stores a view of the next version. */
  private void publish(long rest, Table present, Table next) {
    long version = version(root.get(JAVA_LONG, at)) + 1;
    SegmentAccess.longRelease(root, at, (version << VERSION_SHIFT) | rest);
    // Memory of a table that is not in use any more is written to after that.
    VarHandle.storeStoreFence();
    tables = new Tables(version, present, next);
  }

  /**
   * Moves cells to the next table; the tables from then on.
   *
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  private Tables step(int cells) {
    Tables known = tablesOfWriter();
    int left = cells;
    while (left > 0 && known.next() != Table.NONE) {
      left -= move.step(known.present(), known.next(), frontier(root.get(JAVA_LONG, at)), left);
      known = tablesOfWriter();
    }
    return known;
  }

  /** The first step of a move; if there is no memory for it, there is no move. */
  private void beginStep(int cells) {
    try {
      step(cells);
    } catch (OutOfMemoryError e) {
      Tables known = tablesOfWriter();
      long view = root.get(JAVA_LONG, at);
      if (isMoving(view) && frontier(view) == 0) {
        publish(view & SIDE, known.present(), Table.NONE);
        free(known.next(), 0);
      }
      throw e;
    }
  }

  /** Everything before a bucket of the present table is in the next one. */
  void moved(int frontier) {
    Tables known = tablesOfWriter();
    long view = root.get(JAVA_LONG, at);
    if (frontier < known.present().all()) {
      SegmentAccess.longRelease(root, at, (view & -1L << FRONTIER_BITS) | frontier);
      VarHandle.storeStoreFence();
      return;
    }
    publish((view & SIDE) ^ SIDE, known.next(), Table.NONE);
  }

  /** Gives a {@link #prepare prepared} number a cell. */
  public void put(long hash, int number) {
    locate(hash, NOTHING, null, 0);
    fillPlace(hash, number);
  }

  /**
   * Gives a {@link #prepare prepared} number a cell unless a number matches, as {@link #find} has
   * it.
   *
   * @return whether it got one
   */
  public <K> boolean fillIfAbsent(
      long hash, int number, Match<K> match, @Nullable K key, long wanted) {
    if (locate(hash, match, key, wanted) >= 0) {
      return false;
    }
    fillPlace(hash, number);
    return true;
  }

  /**
   * As {@link #fillIfAbsent}, if a look at one bucket shows that there is no such number; of
   * numbers that were {@linkplain #prepareMany prepared} together. They are counted with {@link
   * #settle}.
   *
   * @return false if there is more to look at
   */
  public boolean fill(long hash, int number) {
    Table table = filling;
    int unit = table == Table.NONE ? 0 : table.unit(table.home(hash));
    if (unit == 0 || !table.fits(number)) {
      return false;
    }
    // Of a length that the compiler knows: no bounds are checked for what is at fixed places.
    MemorySegment line =
        allocator.segment(unit).asSlice(allocator.offset(unit), SlabAllocator.UNIT_BYTES);
    int tag = table.tag(hash);
    if (Bucket.hasTagged(line, 0, tag, table.indexBits()) || !Bucket.hasFree(line, 0)) {
      return false;
    }
    line.set(JAVA_INT, Bucket.freeCell(line, 0), tag | number + 1);
    filled++;
    return true;
  }

  /** Counts numbers that were given cells with {@link #fill}. */
  public void settle() {
    if (filled > 0) {
      addUsed(false, filled);
      count(filled);
      filled = 0;
    }
  }

  /** Loads the bucket of a hash into the cache; a number that depends on what was loaded. */
  public int touch(long hash) {
    Table table = filling;
    int unit = table == Table.NONE ? 0 : table.unit(table.home(hash));
    return allocator.segment(unit).get(JAVA_INT, allocator.offset(unit));
  }

  /** Lets the cell of a hash have another number, {@link #prepare prepared}. */
  public void replace(long hash, int from, int to) {
    locate(hash, from);
    SegmentAccess.intRelease(place, placeOffset, tableOfWriter(hash).tag(hash) | to + 1);
  }

  /** Takes away the cell of a hash with a number that must still have this hash. */
  public void remove(long hash, int number) {
    locate(hash, number);
    // It is not free: what came when the bucket was full would not be found behind a free cell.
    SegmentAccess.intRelease(place, placeOffset, Bucket.REMOVED);
    addTombstones(1);
  }

  /**
   * Leaves the cells of numbers without meaning: no search takes them for the one that it looks
   * for, and they are dropped when the table is moved. Only of use where {@link HashedNumbers} can
   * tell.
   */
  public void addTombstones(int cells) {
    settle();
    count(-cells);
    if (count() == 0) {
      clear();
      return;
    }
    Tables known = tablesOfWriter();
    try {
      // In small steps: often all numbers are gone before the last one.
      if (known.next() != Table.NONE) {
        step(4 * cells);
      } else if (known.present().buckets() > STEP && count() < known.present().limit() >>> 4) {
        // With cells for all numbers that may come while so many buckets are moved.
        begin(Table.bucketsFor(2L * count() + known.present().all()), 0);
        beginStep(4 * cells);
      }
    } catch (OutOfMemoryError e) {
      // It stays as large as it is, which harms no search.
    }
  }

  /** Begins again, as there are no numbers. */
  private void clear() {
    filling = Table.NONE;
    Tables known = tablesOfWriter();
    long view = root.get(JAVA_LONG, at);
    if (known.present().all() <= KEPT && known.next() == Table.NONE) {
      clearCells(known.present());
      return;
    }
    root.set(JAVA_INT, at + descriptor(view, true), 0);
    publish((view & SIDE) ^ SIDE, Table.NONE, Table.NONE);
    free(known.present(), frontier(view));
    free(known.next(), 0);
  }

  /** A search that sees a cell become free has missed no number: there was none at that moment. */
  private void clearCells(Table table) {
    for (int bucket = 0; bucket < table.all(); bucket++) {
      int unit = table.unit(bucket);
      MemorySegment block = allocator.segment(unit);
      long offset = allocator.offset(unit);
      for (int i = 0; unit != 0 && i < SlabAllocator.UNIT_BYTES; i += Long.BYTES) {
        block.set(JAVA_LONG, offset + i, 0);
      }
    }
    addUsed(false, -used(false));
  }

  /**
   * Frees a table that is not in use any more.
   *
   * @param from the first bucket that was not moved
   */
  void free(Table table, int from) {
    if (table == Table.NONE) {
      return;
    }
    for (int block = from / table.blockUnits(); block < table.blocks(); block++) {
      freeBlock(table, block);
    }
    allocator.free(table.list(), table.listUnits());
    addUnits(-SlabAllocator.sizeOf(table.listUnits()));
  }

  void freeBlock(Table table, int block) {
    int unit = table.blockUnit(block);
    if (unit != 0) {
      allocator.free(unit, table.blockUnits());
      addUnits(-table.blockUnits());
    }
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  public long movedCells() {
    return move.moved();
  }

  private Table tableOfWriter(long hash) {
    return tablesOfWriter().of(hash, root.get(JAVA_LONG, at));
  }

  private void locate(long hash, int number) {
    if (locate(hash, SAME, null, number) < 0) {
      throw new IllegalStateException("no cell of number " + number);
    }
  }

  /**
   * Goes to the cell of a number that matches; if there is none, to where it would go: a cell that
   * is free, removed, or a tombstone.
   */
  private <K> int locate(long hash, Match<K> match, @Nullable K key, long wanted) {
    settle();
    Table table = tableOfWriter(hash);
    boolean tombstones = (long) used(false) + used(true) > count();
    int tag = table.tag(hash);
    boolean placed = false;
    for (int bucket = table.home(hash); bucket < table.all(); bucket++) {
      int unit = table.unit(bucket);
      if (unit == 0) {
        break;
      }
      MemorySegment block = allocator.segment(unit);
      long start = allocator.offset(unit);
      for (long tagged = Bucket.tagged(block, start, tag, table.indexBits());
          tagged != 0;
          tagged = Bucket.withoutFirst(tagged)) {
        long cellAt = Bucket.offset(start, tagged);
        int cell = block.get(JAVA_INT, cellAt);
        int number = Bucket.number(cell, tag);
        if (number < 0) {
          continue;
        }
        boolean found = match.look(block, cellAt, cell, number, key, wanted) >= 0;
        // A number that comes again and again takes the cell that it left.
        if (found || (tombstones && !placed && meanings.isNothing(number))) {
          place = block;
          placeOffset = cellAt;
          placed = true;
        }
        if (found) {
          return number;
        }
      }
      long usable = placed ? 0 : Bucket.usable(block, start);
      if (usable != 0) {
        place = block;
        placeOffset = Bucket.offset(start, usable);
        placed = true;
      }
      if (placed && Bucket.hasFree(block, start)) {
        return -1;
      }
    }
    if (!placed) {
      throw new IllegalStateException("no place for hash " + Long.toHexString(hash));
    }
    return -1;
  }

  private void fillPlace(long hash, int number) {
    Tables known = tablesOfWriter();
    Table table = known.of(hash, root.get(JAVA_LONG, at));
    if (place.get(JAVA_INT, placeOffset) == 0) {
      addUsed(table == known.next(), 1);
    }
    SegmentAccess.intRelease(place, placeOffset, table.tag(hash) | number + 1);
    count(1);
  }

  /** Cells in use, of the present table without those that were moved, or of the next one. */
  private int used(boolean next) {
    long view = root.get(JAVA_LONG, at);
    return next && !isMoving(view)
        ? 0
        : root.get(JAVA_INT, at + descriptor(view, next) + Table.USED);
  }

  void addUsed(boolean next, int cells) {
    long offset = at + descriptor(root.get(JAVA_LONG, at), next) + Table.USED;
    root.set(JAVA_INT, offset, root.get(JAVA_INT, offset) + cells);
  }

  void addUnits(int more) {
    root.set(JAVA_INT, at + UNITS, root.get(JAVA_INT, at + UNITS) + more);
  }
}
