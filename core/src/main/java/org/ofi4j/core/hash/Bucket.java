// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * The sixteen cells of 64 bytes, a line of the cache, looked at together. The last one is filled
 * last, and none becomes free again, so a bucket whose last cell is free has free cells, and no
 * other has.
 *
 * <pre>
 *   cell   31 ............ index bits   index bits - 1 ............ 0
 *             low bits of the hash    |  number + 1, or 0 for none
 *
 *          all zeros: free; only bit 31: removed, there was a number once
 * </pre>
 *
 * <p>There is no branch for each cell: the cell that ends a search is not predictable, and behind a
 * branch that was mispredicted nothing of the next search is under way while this one waits for
 * memory. An answer is a set of cells, a bit for each; {@link #offset} is the place of the first.
 *
 * <pre>
 *   bit of a cell     24 + i for the lower half of the i-th of eight words, 56 + i for the upper half
 * </pre>
 *
 * <p>Words are loaded as they come, two cells at a time. So an answer is a hint where to look, but
 * for one thing: a cell that had a value before the call, and keeps it, is told of.
 */
public final class Bucket {
  /** Cells of a bucket, as a power of two. */
  public static final int CELLS = 16;

  /** A cell whose number was removed. */
  public static final int REMOVED = 1 << 31;

  /** The highest bit of both cells of a word. */
  private static final long HIGHEST = 0x8000_0000_8000_0000L;

  private static final long LOW_HALF = 0xFFFF_FFFFL;

  /** A factor that makes both halves of a word of one half. */
  private static final long BOTH = 0x1_0000_0001L;

  /** The bits of all cells in an answer. */
  private static final long ALL = 0xFF00_0000_FF00_0000L;

  private static final int WORD_BITS = 3;
  private static final int FIRST_BIT = 24;

  /** Which half of a word its first cell is in: 0 for the lower one. */
  private static final int FIRST_HALF =
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : Integer.BYTES;

  private Bucket() {}

  /**
   * Which cells have a tag.
   *
   * @param bucket where the bucket is
   * @param numberBits how many bits are none of the tag's; free cells may be among the answer
   */
  public static long tagged(MemorySegment block, long bucket, int tag, int numberBits) {
    long tags = (tag & LOW_HALF) * BOTH;
    long bits = tagBits(numberBits);
    // Written out, as the compiler does not unroll loops with so much in them.
    long others = distinct(word(block, bucket, 0), tags, bits) & HIGHEST;
    others = others >>> 1 | (distinct(word(block, bucket, 1), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 2), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 3), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 4), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 5), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 6), tags, bits) & HIGHEST);
    others = others >>> 1 | (distinct(word(block, bucket, 7), tags, bits) & HIGHEST);
    return others ^ ALL;
  }

  /**
   * Whether there are cells with a tag, in fewer instructions than {@link #tagged}.
   *
   * @param bucket where the bucket is
   * @param numberBits how many bits are none of the tag's
   * @return true also for free cells, if the tag is 0
   */
  public static boolean hasTagged(MemorySegment block, long bucket, int tag, int numberBits) {
    long tags = (tag & LOW_HALF) * BOTH;
    long bits = tagBits(numberBits);
    long differ = distinct(word(block, bucket, 0), tags, bits);
    differ &= distinct(word(block, bucket, 1), tags, bits);
    differ &= distinct(word(block, bucket, 2), tags, bits);
    differ &= distinct(word(block, bucket, 3), tags, bits);
    differ &= distinct(word(block, bucket, 4), tags, bits);
    differ &= distinct(word(block, bucket, 5), tags, bits);
    differ &= distinct(word(block, bucket, 6), tags, bits);
    differ &= distinct(word(block, bucket, 7), tags, bits);
    return (differ & HIGHEST) != HIGHEST;
  }

  /** Whether a bucket has free cells. */
  public static boolean hasFree(MemorySegment block, long bucket) {
    return cell(block, bucket, CELLS - 1) == 0;
  }

  /** The place of a free cell, in a bucket that has free cells. */
  public static long freeCell(MemorySegment block, long bucket) {
    int used = isUsed(block, bucket, 7) << 3;
    used += isUsed(block, bucket, used + 3) << 2;
    used += isUsed(block, bucket, used + 1) << 1;
    used += isUsed(block, bucket, used);
    return bucket + ((long) used << 2);
  }

  private static int isUsed(MemorySegment block, long bucket, int number) {
    int cell = cell(block, bucket, number);
    // Without a branch: of a number and its negative one has the highest bit, unless it is 0.
    return (cell | -cell) >>> (Integer.SIZE - 1);
  }

  private static int cell(MemorySegment block, long bucket, int number) {
    return block.get(JAVA_INT_UNALIGNED, bucket + ((long) number << 2));
  }

  /** Which cells may be filled: free ones, and {@link #REMOVED removed} ones. */
  static long usable(MemorySegment block, long bucket) {
    long found = usable(word(block, bucket, 0));
    found = found >>> 1 | usable(word(block, bucket, 1));
    found = found >>> 1 | usable(word(block, bucket, 2));
    found = found >>> 1 | usable(word(block, bucket, 3));
    found = found >>> 1 | usable(word(block, bucket, 4));
    found = found >>> 1 | usable(word(block, bucket, 5));
    found = found >>> 1 | usable(word(block, bucket, 6));
    found = found >>> 1 | usable(word(block, bucket, 7));
    return found;
  }

  /**
   * Where the first cell of an answer is.
   *
   * @param bucket where the bucket is
   * @param cells a set of cells, not empty
   */
  public static long offset(long bucket, long cells) {
    int bit = Long.numberOfTrailingZeros(cells) - FIRST_BIT;
    int half = (bit >>> WORD_BITS ^ FIRST_HALF) & Integer.BYTES;
    return bucket + ((long) (bit & 7) << WORD_BITS) + half;
  }

  /** The first cell of an answer that is not empty; the memory is that of its bucket alone. */
  public static int first(MemorySegment bucket, long cells) {
    return bucket.get(JAVA_INT_UNALIGNED, offset(0, cells));
  }

  /** The number of a cell that has a tag; any number of one that has another. */
  public static int number(int cell, int tag) {
    // The tag cancels out if it is the same, and leaves the number plus 1.
    return (cell ^ tag) - 1;
  }

  /** Whether a bucket has a cell. */
  static boolean contains(MemorySegment block, long bucket, int cell, int tag, int numberBits) {
    for (long left = tagged(block, bucket, tag, numberBits); left != 0; left = withoutFirst(left)) {
      if (block.get(JAVA_INT_UNALIGNED, offset(bucket, left)) == cell) {
        return true;
      }
    }
    return false;
  }

  public static long withoutFirst(long cells) {
    return cells & cells - 1;
  }

  /** The bits of the tags of both cells of a word, a bit lower: the highest is for the answer. */
  private static long tagBits(int numberBits) {
    return (-1 << numberBits >>> 1) * BOTH;
  }

  /** The highest bit of each half that does not have the tags in those bits, and any other bits. */
  private static long distinct(long word, long tags, long bits) {
    // Added to a number of 31 bits, 2^31 - 1 gives the highest bit unless the number is 0.
    return ((word ^ tags) >>> 1 & bits) + ~HIGHEST;
  }

  private static long usable(long word) {
    return HIGHEST - (word & ~HIGHEST) & HIGHEST;
  }

  private static long word(MemorySegment block, long bucket, int i) {
    return block.get(JAVA_LONG_UNALIGNED, bucket + ((long) i << WORD_BITS));
  }
}
