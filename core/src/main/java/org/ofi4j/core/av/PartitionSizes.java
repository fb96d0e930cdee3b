package org.ofi4j.core.av;

/**
 * How large partitions are, and when they grow.
 *
 * <p>A partition grows by a step of about the square root of two, and splits where it would become
 * larger than the largest. If all did so at the same number of entries, the bytes for each entry
 * would swing by that step, since the partitions fill alike. So they take turns: the higher the
 * first hash of a partition, as a fraction of all hashes, the later it grows.
 *
 * <pre>
 *   fraction      block sizes                     full at
 *   0   to 1/2    of even class: 5, 7, 10, 14 ... 0.76 to 0.90 of the cells
 *   1/2 to 1      of odd class:  6, 8, 12, 16 ... 0.76 to 0.90 of the cells
 * </pre>
 *
 * <p>Classes are a quarter of a doubling apart, and so are the limits of the fullest and the
 * emptiest partition of a class: together the limits cover all sizes evenly. Removed cells count as
 * well.
 */
final class PartitionSizes {
  /** The class of the largest partitions, of 4096 cells, that a directory leads to. */
  static final int MAX_CLASS = 27;

  /** The class of the largest ones when the directory can tell no more of them apart. */
  static final int LAST_CLASS = 42;

  /** Up to here a class is a step of its own. */
  private static final int SMALL_CLASS = 4;

  private static final int LOWEST_LIMIT = 778;
  private static final int LIMITS = 144;

  private PartitionSizes() {}

  /**
   * The fraction that decides on a partition.
   *
   * @param place its first place in a directory
   * @param depth the depth of that directory
   * @return 32 bits behind the point
   */
  static int fraction(int place, int depth) {
    return place << (Integer.SIZE - depth);
  }

  /** How many cells of a block may be in use. */
  static int limit(int sizeClass, int fraction) {
    int load = LOWEST_LIMIT + (((fraction << 1 >>> 16) * LIMITS) >>> 16);
    return (Space.size(sizeClass) * PartitionWord.CELLS_PER_UNIT * load) >>> 10;
  }

  /**
   * The size of a partition that is built anew and is to grow further.
   *
   * @param live how many entries it has
   * @param fraction what decides on it
   * @return the size class, or one more than {@link #LAST_CLASS} if none is large enough
   */
  static int classFor(int live, int fraction) {
    return leastClass(live + (live >>> 2), fraction, true);
  }

  /** The least class with room for so many entries. */
  static int classWithRoom(int entries, int fraction) {
    return leastClass(entries, fraction, false);
  }

  private static int leastClass(int entries, int fraction, boolean inTurn) {
    int sizeClass = 0;
    while (sizeClass <= LAST_CLASS
        && (limit(sizeClass, fraction) < entries
            || (inTurn && sizeClass > SMALL_CLASS && (sizeClass & 1) != fraction >>> 31))) {
      sizeClass++;
    }
    return sizeClass;
  }
}
