// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

/**
 * How large partitions are, and when they grow.
 *
 * <p>A partition grows by a step of about the square root of two, from block to block, and splits
 * where it would become larger than the largest. If all did so at the same number of entries, the
 * bytes for each entry would swing by that step, since the partitions fill alike. So they take
 * turns: the first hash of a partition, as a fraction of all hashes, decides.
 *
 * <pre>
 *   fraction      blocks                            full at
 *   0   to 0.4    4, 6, then 4 and 6 of twice the   so much of the cells: from 0.85 at
 *   0.4 to 1      5, 7, size, or two partitions     the lower end to 0.94 at the upper
 * </pre>
 *
 * <p>Removed cells count as well. A size is the number of blocks and the cells of each as a power
 * of two: {@code cell bits * 8 + blocks}.
 */
public final class PartitionSizes {
  /** Cells of the blocks of a partition that splits when it is full, as a power of two: 2 KiB. */
  public static final int MAX_CELL_BITS = 9;

  /** The same where the directory can tell no more partitions apart. */
  public static final int LAST_CELL_BITS = 13;

  private static final int BLOCKS_BITS = 3;
  private static final int MIN_CELL_BITS = PartitionWord.UNIT_CELL_BITS;

  /** 0.4, in 16 bits behind the point. */
  private static final int ODD = 26_214;

  /** The limits, in 10 bits behind the point. */
  private static final int LOWEST_LIMIT = 870;

  private static final int LIMITS = 92;

  private PartitionSizes() {}

  /** The fraction that decides on a partition: 32 bits behind the point. */
  public static int fraction(int place, int depth) {
    return place << (Integer.SIZE - depth);
  }

  public static int size(int cellBits, int blocks) {
    return cellBits << BLOCKS_BITS | blocks;
  }

  public static int blocks(int size) {
    return size & (1 << BLOCKS_BITS) - 1;
  }

  public static int cellBits(int size) {
    return size >>> BLOCKS_BITS;
  }

  static int cells(int size) {
    return blocks(size) << cellBits(size);
  }

  /** How many cells of a partition may be in use. */
  public static int limit(int size, int fraction) {
    int start = isOdd(fraction) ? ODD : 0;
    int length = isOdd(fraction) ? (1 << 16) - ODD : ODD;
    int load = LOWEST_LIMIT + ((fraction >>> 16) - start) * LIMITS / length;
    return (cells(size) * load) >>> 10;
  }

  /**
   * The size of a partition that is built anew and is to grow further.
   *
   * @return the size, with more than {@link #LAST_CELL_BITS} if none is large enough
   */
  public static int sizeFor(int live, int fraction) {
    return leastSize(live + (live >>> 2), fraction, true);
  }

  static int sizeWithRoom(int entries, int fraction) {
    return leastSize(entries, fraction, false);
  }

  private static int leastSize(int entries, int fraction, boolean inTurn) {
    int size = size(MIN_CELL_BITS, 1);
    while (limit(size, fraction) < entries
        || (inTurn && blocks(size) >= 4 && (size & 1) != (isOdd(fraction) ? 1 : 0))) {
      // Behind seven blocks come four of twice the size.
      size = blocks(size) < PartitionWord.MAX_BLOCKS ? size + 1 : size + 5;
    }
    return size;
  }

  private static boolean isOdd(int fraction) {
    return fraction >>> 16 >= ODD;
  }
}
