// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * One table of buckets, as this process sees it. {@link HashTable} has one, or two while it moves
 * from one to the next.
 *
 * <pre>
 *   descriptor in the root, 16 bytes
 *     0  buckets (4): those that a search can begin at
 *     4  unit of the list of blocks (4)
 *     8  index bits (1) | block bits (1) | 0 (2)
 *    12  cells that are not free (4), when the last change of a shared table ended
 *
 *   list     4 * i: unit of block i, 0 as long as there is none
 *   block    2^(block bits) buckets of 64 bytes, a line of the cache
 *   bucket   16 cells
 *
 *   cell     31 ............ index bits   index bits - 1 ............ 0
 *               low bits of the hash    |  number + 1, or 0 for none
 *
 *            all zeros: free; only bit 31: removed, there was a number once
 * </pre>
 *
 * <p>The high half of the hash, scaled to the number of cells, is the cell that a search begins at.
 * It wraps around within the bucket of that cell, then goes through each of the next buckets from
 * their first cell, and ends at the first free cell. Half of all numbers and more are in the very
 * first cell, and a new one finds that cell free just as often as the table has free cells. No cell
 * becomes free again, so a search finds what was there when it began.
 *
 * <p>Two searches that have come to one cell go on in the same way, except that one may wrap around
 * in the bucket. So if a number has two equal cells on the ways of two hashes, either one of them
 * serves both.
 *
 * <p>Buckets are in the order of hashes whatever their number. So a table is moved into another one
 * from front to back. Instead of going round to the first bucket, a search goes on into some more
 * buckets behind the last one.
 *
 * <p>The number of buckets, of index bits and the list never change. The units in the list go from
 * 0 to their values. Any thread may search; all else is for the writer.
 */
public final class Table {
  private static final int CELL_BITS = 4;

  /** Cells of a bucket. */
  public static final int CELLS = 1 << CELL_BITS;

  /** A cell whose number was removed. */
  public static final int REMOVED = 1 << 31;

  /** The most cells of a table in use, of 256. */
  private static final int LOAD = 230;

  /** The most cells in use of a small table: in the cache, instructions count and not memory. */
  private static final int LOAD_OF_SMALL = 128;

  private static final int MOST_OF_SMALL = 1 << 12;

  /** Buckets behind the last one: more than so many never overflow under a keyed hash. */
  private static final int MORE = 16;

  // Buckets of a block, as a power of two. All but the smallest tables, which have one block, and
  // the largest have blocks of the same size, so that those of one serve the next.

  private static final int USUAL_BLOCK_BITS = 5;

  /** So many blocks fit into a list. */
  private static final int MOST_BLOCKS = SlabAllocator.MAX_UNITS * SlabAllocator.UNIT_BYTES / 4;

  private static final int LARGE_BLOCK_BITS = 11;

  /** All of its blocks fit into a list, and twice as many numbers as there are indices into it. */
  static final int MOST_BUCKETS = (1 << 28) - MORE;

  /** The most cells in use; so that a few more can be counted. */
  private static final int MOST_CELLS = Integer.MAX_VALUE - (1 << 16);

  /** The answer of a search that comes to a bucket outside of memory. */
  static final int UNREADABLE = -3;

  static final int LIST = 4;
  static final int SHAPE = 8;
  public static final int USED = 12;
  static final int DESCRIPTOR_BYTES = 16;
  private static final int MOST_INDEX_BITS = 31;

  /** Stores a cell, the high half of what is wanted, in the place of the one that has a number. */
  private static final Match<Void> REPLACE =
      (block, at, cell, number, key, wanted) -> {
        if (number != (int) wanted) {
          return -1;
        }
        SegmentAccess.intRelease(block, at, (int) (wanted >>> Integer.SIZE));
        return number;
      };

  /** No table: it has no buckets. */
  static final Table NONE = new Table(null, 0, 0, MOST_INDEX_BITS, 0);

  private final @Nullable SlabAllocator allocator;
  private final int list;
  private final int buckets;
  private final long cells;
  private final int all;
  private final int indexBits;
  private final int blockBits;
  private final int limit;

  /** The blocks that this process has come to; filled by any thread, with what is in the list. */
  private final @Nullable MemorySegment[] blocks;

  private Table(
      @Nullable SlabAllocator allocator, int list, int buckets, int indexBits, int blockBits) {
    this.allocator = allocator;
    this.list = list;
    this.buckets = buckets;
    this.cells = (long) buckets << CELL_BITS;
    this.all = all(buckets);
    this.indexBits = indexBits;
    this.blockBits = blockBits;
    this.limit = limit(buckets);
    this.blocks = new MemorySegment[blocks(all, blockBits)];
  }

  /**
   * The table that a descriptor tells of.
   *
   * @param at where the descriptor is in the root
   * @throws IllegalStateException if there can be no such table, as memory is damaged or the
   *     descriptor was read while it changed
   */
  public static Table of(SlabAllocator allocator, long at) {
    MemorySegment root = allocator.root();
    int buckets = root.get(JAVA_INT, at);
    if (buckets == 0) {
      return NONE;
    }
    int list = root.get(JAVA_INT, at + LIST);
    int shape = root.get(JAVA_INT, at + SHAPE);
    int indexBits = shape & 0xFF;
    int blockBits = shape >>> Byte.SIZE;
    boolean sound =
        buckets > 0
            && buckets <= MOST_BUCKETS
            && indexBits > 0
            && indexBits <= MOST_INDEX_BITS
            && blockBits == blockBits(all(buckets))
            && list > 0
            && allocator.has(list, listUnits(all(buckets), blockBits));
    if (!sound) {
      throw new IllegalStateException(
          "a table of %d buckets with shape %x at unit %d".formatted(buckets, shape, list));
    }
    return new Table(allocator, list, buckets, indexBits, blockBits);
  }

  /**
   * Takes memory for the list of a new table, and writes its descriptor.
   *
   * @param at where the descriptor goes in the root
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  static Table create(SlabAllocator allocator, long at, int buckets, int indexBits) {
    int blockBits = blockBits(all(buckets));
    int list = allocator.allocate(listUnits(all(buckets), blockBits));
    MemorySegment root = allocator.root();
    root.set(JAVA_INT, at, buckets);
    root.set(JAVA_INT, at + LIST, list);
    root.set(JAVA_INT, at + SHAPE, blockBits << Byte.SIZE | indexBits);
    return new Table(allocator, list, buckets, indexBits, blockBits);
  }

  /** How many buckets a table needs that so many numbers fit into. */
  static int bucketsFor(long numbers) {
    long small = Math.ceilDiv(numbers * 256, (long) CELLS * LOAD_OF_SMALL);
    if (small <= MOST_OF_SMALL) {
      return (int) Math.max(small, 1);
    }
    return Math.clamp(
        Math.ceilDiv(numbers * 256, (long) CELLS * LOAD), MOST_OF_SMALL + 1, MOST_BUCKETS);
  }

  /** Bits that hold every number up to one twice as large as the given one. */
  static int bitsFor(long number) {
    return Math.min(Long.SIZE - Long.numberOfLeadingZeros(number + 1) + 1, MOST_INDEX_BITS);
  }

  private static int all(int buckets) {
    // No more than all cells of a small table can overflow into.
    return buckets + Math.min(MORE, Math.max(buckets - 1, 0));
  }

  private static int blockBits(int all) {
    if (all <= 1 << USUAL_BLOCK_BITS) {
      return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(all, 1) - 1);
    }
    return all <= MOST_BLOCKS << USUAL_BLOCK_BITS ? USUAL_BLOCK_BITS : LARGE_BLOCK_BITS;
  }

  private static int blocks(int all, int blockBits) {
    return (int) Math.ceilDiv((long) all, 1L << blockBits);
  }

  private static int listUnits(int all, int blockBits) {
    return Math.ceilDiv(blocks(all, blockBits) * Integer.BYTES, SlabAllocator.UNIT_BYTES);
  }

  /** How many buckets there are, with those behind the last one that a search begins at. */
  public int all() {
    return all;
  }

  int buckets() {
    return buckets;
  }

  /** How many cells may be in use before the table is to be moved to a larger one. */
  int limit() {
    return limit;
  }

  /** Whether the cache is likely to hold all cells. */
  boolean isSmall() {
    return isSmall(buckets);
  }

  private static boolean isSmall(int buckets) {
    return buckets <= MOST_OF_SMALL;
  }

  static int limit(int buckets) {
    int load = isSmall(buckets) ? LOAD_OF_SMALL : LOAD;
    return (int) Math.min(((long) buckets * CELLS * load) >>> 8, MOST_CELLS);
  }

  /** How many bits of a cell hold the number. */
  public int indexBits() {
    return indexBits;
  }

  /** Whether cells can hold a number. */
  boolean fits(int number) {
    return number < -1 >>> (Integer.SIZE - indexBits);
  }

  /** The cell that a search begins at, counted from the first one of the table. */
  public long home(long hash) {
    return ((hash >>> Integer.SIZE) * cells) >>> Integer.SIZE;
  }

  /** The bucket that a search begins at. */
  int homeBucket(long hash) {
    return bucket(home(hash));
  }

  /** The bucket of a cell. */
  public static int bucket(long cell) {
    return (int) (cell >>> CELL_BITS);
  }

  /**
   * The offset in a bucket of the i-th cell that a search looks at.
   *
   * @param home the cell that it began at; in later buckets 0
   */
  public static long offset(long home, int i) {
    return (long) ((int) home + i & CELLS - 1) << 2;
  }

  public int tag(long hash) {
    return (int) hash << indexBits;
  }

  /**
   * The number of a cell.
   *
   * @return -1 if it has none, or another tag
   */
  public int number(int cell, int tag) {
    // The tag cancels out if it is the same, and leaves the number plus 1.
    int field = cell ^ tag;
    return field >>> indexBits == 0 ? field - 1 : -1;
  }

  /** Units of the list of blocks. */
  public int list() {
    return list;
  }

  public int listUnits() {
    return listUnits(all, blockBits);
  }

  public int blocks() {
    return blocks.length;
  }

  /** How many buckets a block has, which is how many units it takes. */
  public int blockUnits() {
    return 1 << blockBits;
  }

  /**
   * The block of a bucket.
   *
   * @return null if it has no memory, or the table is not in use any more
   */
  public @Nullable MemorySegment block(int bucket) {
    int number = bucket >>> blockBits;
    MemorySegment block = blocks[number];
    return block == null ? arrived(number) : block;
  }

  /** The offset of a bucket in its block, in bytes. */
  public long start(int bucket) {
    return (long) (bucket & (1 << blockBits) - 1) * SlabAllocator.UNIT_BYTES;
  }

  private @Nullable MemorySegment arrived(int number) {
    int unit = blockUnit(number);
    SlabAllocator memory = allocator;
    if (unit <= 0 || memory == null || !memory.has(unit, 1 << blockBits)) {
      return null;
    }
    long bytes = (long) SlabAllocator.UNIT_BYTES << blockBits;
    MemorySegment block = memory.segment(unit).asSlice(memory.offset(unit), bytes);
    blocks[number] = block;
    return block;
  }

  /** The unit of a block, or 0; its zeros are seen with it. */
  public int blockUnit(int block) {
    SlabAllocator memory = allocator;
    return memory == null
        ? 0
        : SegmentAccess.intAcquire(
            memory.segment(list), memory.offset(list) + (long) block * Integer.BYTES);
  }

  /** Puts a block of zeros into the list. */
  void addBlock(int block, int unit) {
    SlabAllocator memory = allocator;
    if (memory != null) {
      SegmentAccess.intRelease(
          memory.segment(list), memory.offset(list) + (long) block * Integer.BYTES, unit);
    }
  }

  /**
   * Loads the bucket of a hash into the cache.
   *
   * @return a number that depends on what was loaded
   */
  int touch(long hash) {
    int bucket = homeBucket(hash);
    MemorySegment block = bucket < all ? block(bucket) : null;
    return block == null ? 0 : block.get(JAVA_INT, start(bucket));
  }

  /**
   * Finds a number; for any thread.
   *
   * @return what the match answered; {@link #UNREADABLE} if memory is damaged, or the table is not
   *     in use any more
   */
  <K> int search(long hash, Match<K> match, @Nullable K key, long wanted) {
    int tag = tag(hash);
    long home = home(hash);
    for (int bucket = bucket(home); bucket < all; bucket++) {
      MemorySegment block = block(bucket);
      if (block == null) {
        // The list gets a block before the block gets cells.
        if (blockUnit(bucket >>> blockBits) == 0) {
          return -1;
        }
        // It has come just now, or is none of this memory.
        block = block(bucket);
        if (block == null) {
          return UNREADABLE;
        }
      }
      long start = start(bucket);
      for (int i = 0; i < CELLS; i++) {
        long at = start + offset(home, i);
        int cell = SegmentAccess.intAcquire(block, at);
        if (cell == 0) {
          return -1;
        }
        int number = number(cell, tag);
        int found = number < 0 ? -1 : match.look(block, at, cell, number, key, wanted);
        if (found != -1) {
          return found;
        }
      }
      home = 0;
    }
    return -1;
  }

  /**
   * Stores a cell in the place of another one, with release; for the writer.
   *
   * @param hash what the present one was filled with
   */
  void replace(long hash, int number, int cell) {
    if (search(hash, REPLACE, null, (long) cell << Integer.SIZE | number) < 0) {
      throw new IllegalStateException("no cell of number " + number);
    }
  }
}
