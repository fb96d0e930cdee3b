package org.ofi4j.core.av;

/**
 * What a {@link Directory} says of a partition, in one word, so that one store replaces a partition
 * by another.
 *
 * <pre>
 *   63 ...... 46   45 ... 41   40 ........ 36   35 ...... 30   29 ............ 0
 *      version   |   depth   |  index bits - 1 |  size class  |  first unit
 *
 *   version      grows by 1 with each partition that takes the place of another
 *   depth        how many high bits all hashes in it share
 *   index bits   how many bits of a cell hold the number
 *   size class   of its block in the {@link Space}
 *   first unit   of its block; 0 if there are no entries, hence no block
 * </pre>
 *
 * A cell of a partition:
 *
 * <pre>
 *   31 ............ index bits   index bits - 1 ............ 0
 *      low bits of the hash    |  number + 1, or 0 for no entry
 *
 *   all zeros: nothing was ever behind here; only bit 31: an entry was here, others may follow
 * </pre>
 */
final class PartitionWord {
  /** A cell whose entry was removed. */
  static final int REMOVED = 1 << 31;

  /** The most bits of a hash that a directory tells partitions apart by. */
  static final int MAX_DEPTH = 16;

  /** Cells of a unit. */
  static final int CELLS_PER_UNIT = Space.UNIT_BYTES / Integer.BYTES;

  private static final int MAX_INDEX_BITS = 31;
  private static final int UNIT_MASK = (1 << Space.UNIT_BITS) - 1;
  private static final int CLASS_SHIFT = 30;
  private static final int CLASS_MASK = 0x3F;
  private static final int BITS_SHIFT = 36;
  private static final int DEPTH_SHIFT = 41;
  private static final int VERSION_SHIFT = 46;

  /** Cells by size class. */
  private static final int[] CELLS = new int[CLASS_MASK + 1];

  static {
    for (int i = 0; i < CELLS.length; i++) {
      CELLS[i] = i <= Space.MAX_CLASS ? Space.size(i) * CELLS_PER_UNIT : 0;
    }
  }

  private PartitionWord() {}

  static long of(int version, int depth, int indexBits, int sizeClass, int unit) {
    return (long) version << VERSION_SHIFT
        | (long) depth << DEPTH_SHIFT
        | (long) (indexBits - 1) << BITS_SHIFT
        | (long) sizeClass << CLASS_SHIFT
        | unit;
  }

  /** The word of a partition without entries. */
  static long empty(int version, int depth) {
    return of(version, depth, 1, 0, 0);
  }

  /** The version of what takes the place of a partition. */
  static int nextVersion(long word) {
    return (int) (word >>> VERSION_SHIFT) + 1 & (1 << (Long.SIZE - VERSION_SHIFT)) - 1;
  }

  static int unit(long word) {
    return (int) word & UNIT_MASK;
  }

  static int sizeClass(long word) {
    return (int) (word >>> CLASS_SHIFT) & CLASS_MASK;
  }

  static int cells(long word) {
    return CELLS[(int) (word >>> CLASS_SHIFT) & CLASS_MASK];
  }

  static int indexBits(long word) {
    return ((int) (word >>> BITS_SHIFT) & 0x1F) + 1;
  }

  static int depth(long word) {
    return (int) (word >>> DEPTH_SHIFT) & 0x1F;
  }

  /** Bits that hold every number up to one twice as large as the given one. */
  static int bitsFor(int number) {
    return Math.min(Integer.SIZE - Integer.numberOfLeadingZeros(number + 1) + 1, MAX_INDEX_BITS);
  }

  /** Whether cells with so many bits for the number can hold a number. */
  static boolean fits(int number, int indexBits) {
    return number < -1 >>> (Integer.SIZE - indexBits);
  }

  /** The cell of a number. */
  static int cell(long hash, int number, int indexBits) {
    return tag(hash, indexBits) | number + 1;
  }

  /** What a cell holds beside the number: the low bits of the hash. */
  static int tag(long hash, int indexBits) {
    return (int) hash << indexBits;
  }

  /** The bits of a cell that hold the number. */
  static int numberMask(int indexBits) {
    return -1 >>> (Integer.SIZE - indexBits);
  }

  /** The cell that a search begins at. */
  static int home(long hash, int cells) {
    return (int) (((hash & 0xFFFF_FFFFL) * cells) >>> Integer.SIZE);
  }
}
