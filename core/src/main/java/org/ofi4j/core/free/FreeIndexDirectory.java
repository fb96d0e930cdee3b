// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Where to find what is known of a block of 65,536 indices. Leaves of 32 blocks come when the first
 * of these is spoken of and stay; so does the top, which grows by doubling.
 *
 * <pre>
 *   root   word: leaves that the top has room for (32) | unit of the top (32)
 *          bit for each of 1024 leaves: one of its blocks has free indices       128 bytes
 *   top    4 * i   unit of leaf i, or 0
 *   leaf   0    bit for each block: it has marks        4 bytes, then 4 unused
 *          8 + 32 * (block % 32)                        1032 bytes in all
 *
 *   block  0    word, {@link FreeBitmaps}   8
 *          8    epoch                       4
 *          12   unused                      4
 *          16   next generation             8
 *          24   marks: a bit for each 1024 of its indices, one of which may be free  8
 * </pre>
 *
 * <p>Any thread looks here, lock-free; one thread at a time writes, by {@link FreeIndexCursor}. The
 * epoch grows with each new word, after it and before anything else: what is read between two looks
 * at the same epoch belongs together. Where a block has no mark, nothing is free. The bits of
 * blocks and leaves are for the writer.
 */
public final class FreeIndexDirectory {
  /** Indices of a block, as a power of two. */
  public static final int BLOCK_BITS = 16;

  public static final int BLOCK_SIZE = 1 << BLOCK_BITS;

  public static final int WORD = 0;
  static final int EPOCH = 8;
  static final int NEXT_GENERATION = 16;
  public static final int MARKS = 24;

  /** Indices of a mark, as a power of two. */
  public static final int MARK_BITS = 10;

  static final int LEAF_BITS = 5;

  public static final int LEAF_BLOCKS = 1 << LEAF_BITS;

  /** Where a leaf has a bit for each block. */
  public static final int MARKED_BLOCKS = 0;

  private static final int HEADER = 8;
  private static final int BLOCK_BYTES = 32;

  public static final int LEAF_UNITS =
      SlabAllocator.sizeOf(
          (HEADER + LEAF_BLOCKS * BLOCK_BYTES + SlabAllocator.UNIT_BYTES - 1)
              / SlabAllocator.UNIT_BYTES);

  public static final int LEAVES = 1 << (Integer.SIZE - 1 - BLOCK_BITS - LEAF_BITS);

  /** Leaves that a unit of the top has room for. */
  private static final int PER_UNIT = SlabAllocator.UNIT_BYTES / Integer.BYTES;

  private final SlabAllocator allocator;
  private final MemorySegment root;

  FreeIndexDirectory(SlabAllocator allocator) {
    this.allocator = allocator;
    this.root = allocator.root();
  }

  /** The word in the root that tells of a top with room for so many leaves. */
  static long top(int room, int unit) {
    return (long) room << Integer.SIZE | unit;
  }

  /** How many leaves the top has room for that a word in the root tells of. */
  public static int topRoom(long top) {
    return (int) (top >>> Integer.SIZE);
  }

  /** The unit of the top that a word in the root tells of. */
  public static int topUnit(long top) {
    return (int) top;
  }

  /** How many leaves a top of so many units has room for. */
  static int topRoomOf(int units) {
    return units * PER_UNIT;
  }

  /** Units of a top with room for so many leaves. */
  public static int topUnits(int room) {
    return (room + PER_UNIT - 1) / PER_UNIT;
  }

  /** Where a top has the unit of a leaf. */
  public static long inTop(int leaf) {
    return (long) leaf * Integer.BYTES;
  }

  /** Where a leaf has what is known of a block. */
  public static long inLeaf(int block) {
    return HEADER + (long) (block & LEAF_BLOCKS - 1) * BLOCK_BYTES;
  }

  /** Where the root has the word with the bit of a leaf, the low bits of whose number say which. */
  public static long leafMarks(int leaf) {
    return Superblock.FREE_INDEX_LEAVES + (long) (leaf >>> 6) * Long.BYTES;
  }

  /** The unit of the leaf of a block, 0 if there is none. */
  int leaf(int block) {
    // An outgrown top stays as it was: it leads to what there was when it was the root's.
    long top = SegmentAccess.longAcquire(root, Superblock.FREE_INDICES);
    int number = block >>> LEAF_BITS;
    if (number >= topRoom(top)) {
      return 0;
    }
    int unit = topUnit(top);
    return SegmentAccess.intAcquire(
        allocator.segment(unit), allocator.offset(unit) + inTop(number));
  }

  /** Where a block lies in the segment of its leaf. */
  long offset(int leaf, int block) {
    return allocator.offset(leaf) + inLeaf(block);
  }

  int epoch(int block) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.intAcquire(allocator.segment(leaf), offset(leaf, block) + EPOCH);
  }

  /**
   * What is known of a block.
   *
   * @param field where a field of 8 bytes is in what a leaf has of a block
   * @return that field; 0 if the block has no leaf
   */
  long get(int block, int field) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.longAcquire(allocator.segment(leaf), offset(leaf, block) + field);
  }
}
