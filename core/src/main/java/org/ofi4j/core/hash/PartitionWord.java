// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import org.ofi4j.core.memory.SlabAllocator;

/**
 * A partition of {@link HashTable} in 64 bytes of the {@link SlabAllocator}: a word, by whose store
 * one partition takes the place of another, and the blocks that its cells are in, all of one size
 * and one after the other.
 *
 * <pre>
 *    0   word (8)
 *    8   units of the blocks of partitions whose version is even (7 * 4)
 *   36   units of the blocks of partitions whose version is odd (7 * 4)
 *
 *   63 ... 38   37 ... 22   21 ... 17   16 ........ 12   11 ..... 8   7 .. 3   2 .... 0
 *    version  |   prefix  |   depth   | index bits - 1 | cell bits  |   0    |  blocks
 *
 *   version      grows by 1 with each partition that takes the place of another
 *   prefix       the high bits that all hashes in it share
 *   depth        how many they are; 0, with prefix 1, if the 64 bytes are without use
 *   index bits   how many bits of a cell hold the number
 *   cell bits    a block has 2^this cells
 *   blocks       how many; 0 if there are no entries
 * </pre>
 *
 * A cell:
 *
 * <pre>
 *   31 ............ index bits   index bits - 1 ............ 0
 *      low bits of the hash    |  number + 1, or 0 for no entry
 *
 *   all zeros: free; only bit 31: removed, there was an entry once
 * </pre>
 *
 * <p>Sixteen cells in 64 bytes are a {@link Bucket}. An entry is in the first bucket, from the one
 * that its hash says on, that had a free cell when it came. A bucket that was full once has no free
 * cell again: so behind a bucket with free cells there is nothing that should be in it.
 *
 * <p>A freed block serves any other partition, as all large ones have the same size. The 64 bytes
 * stay what they are for good, since readers may look at them at any time.
 */
public final class PartitionWord {
  /** A cell whose entry was removed. */
  public static final int REMOVED = 1 << 31;

  /** The most bits of a hash that a directory tells partitions apart by. */
  public static final int MAX_DEPTH = 16;

  public static final int MAX_BLOCKS = 7;

  /** Cells of a unit, as a power of two. */
  static final int UNIT_CELL_BITS = 4;

  private static final long EVEN_BLOCKS = 8;

  /** Where 64 bytes without use have the unit of the next ones. */
  public static final long LINK = EVEN_BLOCKS;

  private static final long ODD_BLOCKS = EVEN_BLOCKS + MAX_BLOCKS * Integer.BYTES;

  private static final int MAX_INDEX_BITS = 31;
  private static final int BLOCKS_MASK = 7;
  private static final int CELL_BITS_SHIFT = 8;
  private static final int BITS_SHIFT = 12;
  private static final int DEPTH_SHIFT = 17;
  private static final int DEPTH_MASK = 0x1F;
  private static final int PREFIX_SHIFT = 22;
  private static final int PREFIX_MASK = (1 << MAX_DEPTH) - 1;
  private static final int VERSION_SHIFT = 38;

  /** All but version, prefix and depth. */
  private static final long CELLS_MASK = (1L << DEPTH_SHIFT) - 1;

  private PartitionWord() {}

  /**
   * The word of a partition without entries.
   *
   * @param before the word that it takes the place of
   * @param prefix the high bits of its hashes
   * @return the word, with the next version
   */
  public static long empty(long before, int prefix, int depth) {
    return ((before >>> VERSION_SHIFT) + 1) << VERSION_SHIFT
        | (long) prefix << PREFIX_SHIFT
        | (long) depth << DEPTH_SHIFT;
  }

  /** The word of 64 bytes that are no partition. */
  public static long unused(long before) {
    return empty(before, 1, 0);
  }

  /** Adds what says where the cells are to the word of a partition without entries. */
  public static long of(long empty, int indexBits, int cellBits, int blocks) {
    return (empty & ~CELLS_MASK)
        | (long) (indexBits - 1) << BITS_SHIFT
        | (long) cellBits << CELL_BITS_SHIFT
        | blocks;
  }

  /** Whether a hash, if it has an entry, has it in this partition. */
  public static boolean covers(long word, long hash) {
    int depth = (int) (word >>> DEPTH_SHIFT) & DEPTH_MASK;
    // Two steps, as a shift by 64 would be one by 0.
    return hash >>> 1 >>> (Long.SIZE - 1 - depth) == prefix(word);
  }

  public static int prefix(long word) {
    return (int) (word >>> PREFIX_SHIFT) & PREFIX_MASK;
  }

  public static int blocks(long word) {
    return (int) word & BLOCKS_MASK;
  }

  public static int cellBits(long word) {
    return (int) (word >>> CELL_BITS_SHIFT) & 0xF;
  }

  public static int cells(long word) {
    return blocks(word) << cellBits(word);
  }

  /** Buckets of cells, one after the other through all blocks. */
  public static int buckets(long word) {
    return blocks(word) << bucketBits(word);
  }

  /** Buckets of a block, as a power of two. */
  public static int bucketBits(long word) {
    return cellBits(word) - UNIT_CELL_BITS;
  }

  public static int indexBits(long word) {
    return ((int) (word >>> BITS_SHIFT) & 0x1F) + 1;
  }

  public static int depth(long word) {
    return (int) (word >>> DEPTH_SHIFT) & DEPTH_MASK;
  }

  /** Where the unit of a block is, from the beginning of the partition's 64 bytes. */
  public static long blockOffset(long word, int block) {
    // Without a branch: which of them it is cannot be predicted.
    return EVEN_BLOCKS
        + (word >>> VERSION_SHIFT & 1) * (ODD_BLOCKS - EVEN_BLOCKS)
        + (long) block * Integer.BYTES;
  }

  public static int blockUnits(long word) {
    return 1 << (cellBits(word) - UNIT_CELL_BITS);
  }

  /** Bits that hold every number up to one twice as large as the given one. */
  public static int bitsFor(int number) {
    return Math.min(Integer.SIZE - Integer.numberOfLeadingZeros(number + 1) + 1, MAX_INDEX_BITS);
  }

  /** Whether cells with so many bits for the number can hold a number. */
  public static boolean fits(int number, int indexBits) {
    return number < -1 >>> (Integer.SIZE - indexBits);
  }

  public static int cell(long hash, int number, int indexBits) {
    return tag(hash, indexBits) | number + 1;
  }

  /** The number of a cell that has a tag; any number of one that has another. */
  public static int number(int cell, int tag) {
    // The tag cancels out if it is the same, and leaves the number plus 1.
    return (cell ^ tag) - 1;
  }

  /** What a cell holds beside the number: the low bits of the hash. */
  public static int tag(long hash, int indexBits) {
    return (int) hash << indexBits;
  }

  /** The bits of a cell that hold the number. */
  public static int numberMask(int indexBits) {
    return -1 >>> (Integer.SIZE - indexBits);
  }

  /** The bucket behind a bucket, behind the last one the first. */
  public static int nextBucket(int bucket, long word) {
    return bucket + 1 == buckets(word) ? 0 : bucket + 1;
  }

  /** The bucket that a search begins at. */
  public static int home(long hash, int buckets) {
    return (int) (((hash & 0xFFFF_FFFFL) * buckets) >>> Integer.SIZE);
  }
}
