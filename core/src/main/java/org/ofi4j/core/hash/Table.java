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
 *   block    2^(block bits) buckets of 64 bytes, see {@link Bucket}
 * </pre>
 *
 * <p>A search begins at the bucket that the high half of the hash says, scaled to the number of
 * buckets, and ends at the first one that has a free cell. So buckets are in the order of hashes
 * whatever their number, and a table is moved into another one from front to back. Instead of going
 * round to the first bucket, a search goes on into some more buckets behind the last one.
 *
 * <p>The number of buckets, of index bits and the list never change. The units in the list go from
 * 0 to their values. Any thread may search; all else is for the writer.
 */
public final class Table {
  /** The most cells of a table in use, of 256. */
  private static final int LOAD = 230;

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

  /** No table: it has no buckets. */
  static final Table NONE = new Table(null, 0, 0, MOST_INDEX_BITS, 0);

  private final @Nullable SlabAllocator allocator;
  private final int list;
  private final int buckets;
  private final int all;
  private final int indexBits;
  private final int blockBits;
  private final int limit;

  /** The blocks that this process has come to; filled by any thread, with what is in the list. */
  private final int[] units;

  private Table(
      @Nullable SlabAllocator allocator, int list, int buckets, int indexBits, int blockBits) {
    this.allocator = allocator;
    this.list = list;
    this.buckets = buckets;
    this.all = all(buckets);
    this.indexBits = indexBits;
    this.blockBits = blockBits;
    this.limit = limit(buckets);
    this.units = new int[blocks(all, blockBits)];
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
    return Math.clamp(Math.ceilDiv(numbers * 256, 16L * LOAD), 1, MOST_BUCKETS);
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

  static int limit(int buckets) {
    return (int) Math.min(((long) buckets * Bucket.CELLS * LOAD) >>> 8, MOST_CELLS);
  }

  /** How many bits of a cell hold the number. */
  public int indexBits() {
    return indexBits;
  }

  /** Whether cells can hold a number. */
  boolean fits(int number) {
    return number < -1 >>> (Integer.SIZE - indexBits);
  }

  /** The bucket that a search begins at. */
  public int home(long hash) {
    return (int) (((hash >>> Integer.SIZE) * buckets) >>> Integer.SIZE);
  }

  public int tag(long hash) {
    return (int) hash << indexBits;
  }

  /** Units of the list of blocks. */
  public int list() {
    return list;
  }

  public int listUnits() {
    return listUnits(all, blockBits);
  }

  public int blocks() {
    return units.length;
  }

  /** How many buckets a block has, which is how many units it takes. */
  public int blockUnits() {
    return 1 << blockBits;
  }

  /**
   * The unit of a bucket.
   *
   * @return 0 if it has no memory, or the table is not in use any more
   */
  public int unit(int bucket) {
    int block = bucket >>> blockBits;
    int unit = units[block];
    if (unit == 0) {
      unit = arrived(block);
    }
    return unit == 0 ? 0 : unit + (bucket & (1 << blockBits) - 1);
  }

  private int arrived(int block) {
    int unit = blockUnit(block);
    SlabAllocator memory = allocator;
    if (unit <= 0 || memory == null || !memory.has(unit, 1 << blockBits)) {
      return 0;
    }
    units[block] = unit;
    return unit;
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
   * Finds a number; for any thread.
   *
   * @return what the match answered; {@link #UNREADABLE} if memory is damaged, or the table is not
   *     in use any more
   */
  <K> int search(long hash, Match<K> match, @Nullable K key, long wanted) {
    SlabAllocator memory = allocator;
    if (memory == null) {
      return -1;
    }
    int tag = tag(hash);
    for (int bucket = home(hash); bucket < all; bucket++) {
      int unit = unit(bucket);
      if (unit == 0) {
        // Cells come into a block behind the block. With a unit, it is none of this memory.
        return blockUnit(bucket >>> blockBits) == 0 ? -1 : UNREADABLE;
      }
      MemorySegment block = memory.segment(unit);
      long offset = memory.offset(unit);
      for (long tagged = Bucket.tagged(block, offset, tag, indexBits);
          tagged != 0;
          tagged = Bucket.withoutFirst(tagged)) {
        long at = Bucket.offset(offset, tagged);
        int cell = SegmentAccess.intAcquire(block, at);
        int found = match.look(block, at, cell, Bucket.number(cell, tag), key, wanted);
        if (found != -1) {
          return found;
        }
      }
      if (Bucket.hasFree(block, offset)) {
        return -1;
      }
    }
    return -1;
  }
}
