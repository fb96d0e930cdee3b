// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * A hash table of four-byte cells, each a number. The meaning of a number is up to the user of the
 * table: a cell is a hint where to look.
 *
 * <p>Words in the root are drawn in {@link TableView}, tables and cells in {@link Table}.
 *
 * <p>A change is one store of a cell: insertion fills one that is free or has lost its meaning,
 * removal marks it. A table that is full, or nearly empty, is moved into another one in steps of
 * some hundred cells, each a part of some insertion or removal ({@link WriterTables}). A step
 * copies cells that belong together, up to a bucket with a free cell, and then stores the view; the
 * blocks before the frontier are used again at once.
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
  /** No number matches. */
  private static final Match<Void> NOTHING = (block, at, cell, number, key, wanted) -> -1;

  /** Each number matches whose tag is that of the hash. */
  private static final Match<Void> TAGGED = (block, at, cell, number, key, wanted) -> number;

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
  private final WriterTables tables;

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
    this.tables = new WriterTables(allocator, at, meanings, lookups);
  }

  // For any thread.

  /** Returns what any thread may ask. */
  public HashLookups lookups() {
    return lookups;
  }

  /** Returns how many numbers there are; for any thread. */
  public int presentCount() {
    return allocator.isShared() ? SegmentAccess.intOpaque(root, at + TableView.COUNT) : count;
  }

  /**
   * Returns the bytes of the blocks and of the lists that lead to them, or 0 if there are no
   * numbers; for any thread.
   */
  public long usedBytes() {
    int units =
        allocator.isShared() ? SegmentAccess.intOpaque(root, at + TableView.UNITS) : tables.units();
    return presentCount() == 0 ? 0 : (long) units * SlabAllocator.UNIT_BYTES;
  }

  // For the writer.

  /** Goes on from the root, as another process may have written. */
  public void follow() {
    tables.follow();
    count = root.get(JAVA_INT, at + TableView.COUNT);
  }

  /** Stores the counts that have changed in the root, for other processes. */
  public void publish() {
    tables.publish();
    tables.publish(at + TableView.COUNT, count);
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
    if (!tables.fits(more, largest)) {
      makeRoom(more, largest);
    }
  }

  private void makeRoom(int more, int largest) {
    int cells = Math.max(STEP, more * STEPS);
    if (tables.isMoving()) {
      tables.step(cells, more, largest);
      if (tables.isMoving() || tables.fits(more, largest)) {
        return;
      }
    }
    // A call that has said how many come gets all of its table, as it takes long anyway.
    boolean atOnce = isTold(more) || !tables.present().fits(largest);
    tables.begin(sizeFor(tables.present(), more), largest, atOnce ? Integer.MAX_VALUE : cells);
  }

  /** Whether many more numbers than those are known to come, as some of them have come. */
  private boolean isTold(int more) {
    long soon = (long) count + more;
    return expected > soon && soon > expected >>> 6;
  }

  /** How many buckets the next table gets that is made for more numbers. */
  private int sizeFor(Table present, int more) {
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
    boolean filled = tables.fill(tables.of(hash), hash, number, match, key, wanted);
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
    return tables.of(hash).fits(number) && fillIfAbsent(hash, number, TAGGED, null, 0);
  }

  /** Whether the cells are so few that the cache is likely to hold them. */
  public boolean isSmall() {
    return tables.present().isSmall();
  }

  /**
   * Loads the bucket of a hash into the cache.
   *
   * @return a number that depends on what was loaded
   */
  public int touch(long hash) {
    return tables.of(hash).touch(hash);
  }

  /** Lets the cell of a hash have another number, {@link #prepare prepared}. */
  public void replace(long hash, int from, int to) {
    Table table = tables.of(hash);
    table.replace(hash, from, table.tag(hash) | to + 1);
  }

  /** Takes away the cell of a hash with a number that must still have this hash. */
  public void remove(long hash, int number) {
    // It is not free: a search for what came when it was in use would end there.
    tables.of(hash).replace(hash, number, Table.REMOVED);
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
      clear();
      return;
    }
    Table present = tables.present();
    try {
      // In small steps: often all numbers are gone before the last one.
      if (tables.isMoving()) {
        tables.step(4 * cells);
      } else if (present.buckets() > STEP && count < present.limit() >>> 4) {
        // With cells for all numbers that may come while so many buckets are moved.
        tables.begin(Table.bucketsFor(2L * count + present.all()), 0, 4 * cells);
      }
    } catch (OutOfMemoryError e) {
      // It stays as large as it is, which harms no search.
    }
  }

  /** Begins again, as there are no numbers. */
  private void clear() {
    if (tables.present().all() <= KEPT && !tables.isMoving()) {
      tables.clearCells();
    } else {
      tables.clear();
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
      int found = tables.findRebuilt(hash, match, key);
      if (found < 0) {
        add(hash, number);
        flush();
      }
      return found;
    }

    private void flush() {
      tables.addRebuilt(hashes, numbers, waiting);
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
    tables.beginRebuild(most, largest);
    count = 0;
    Rebuild rebuild = new Rebuild();
    numbers.accept(rebuild);
    rebuild.flush();
    tables.endRebuild();
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  public long movedCells() {
    return tables.moved();
  }
}
