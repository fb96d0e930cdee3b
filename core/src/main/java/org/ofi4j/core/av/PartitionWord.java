package org.ofi4j.core.av;

/**
 * What the directory of the reverse index says of a partition, in one word, so that one store
 * replaces a partition by another.
 *
 * <pre>
 *   63 ...... 44   43 ... 39   38 ........ 34   33 ...... 30   29 ............ 0
 *      version   |   depth   |  index bits - 1 |  size class  |  first unit
 *
 *   version      differs from that of every partition published lately (2^20 of them)
 *   depth        how many high bits all hashes in it share
 *   index bits   how many bits of a cell hold the index
 *   size class   of its block
 *   first unit   of its block; 0 if there are no entries, hence no block
 * </pre>
 *
 * A cell of a partition:
 *
 * <pre>
 *   31 ............ index bits   index bits - 1 ............ 0
 *      low bits of the hash    |  index + 1, or 0 for no entry
 *
 *   all zeros: nothing was ever behind here; only bit 31: an entry was here, others may follow
 * </pre>
 */
final class PartitionWord {
  /** A cell whose entry was removed. */
  static final int REMOVED = 1 << 31;

  /** The most bits of a hash that the directory tells partitions apart by. */
  static final int MAX_DEPTH = 22;

  private static final int MAX_INDEX_BITS = 31;
  private static final int UNIT_MASK = (1 << 30) - 1;
  private static final int CLASS_SHIFT = 30;
  private static final int BITS_SHIFT = 34;
  private static final int DEPTH_SHIFT = 39;
  private static final int VERSION_SHIFT = 44;

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

  static int unit(long word) {
    return (int) word & UNIT_MASK;
  }

  static int sizeClass(long word) {
    return (int) (word >>> CLASS_SHIFT) & 0xF;
  }

  static int indexBits(long word) {
    return ((int) (word >>> BITS_SHIFT) & 0x1F) + 1;
  }

  static int depth(long word) {
    return (int) (word >>> DEPTH_SHIFT) & 0x1F;
  }

  /** Bits that hold every index up to one twice as large as the given one. */
  static int bitsFor(int index) {
    return Math.min(Integer.SIZE - Integer.numberOfLeadingZeros(index + 1) + 1, MAX_INDEX_BITS);
  }

  /** Whether cells with so many bits for the index can hold an index. */
  static boolean fits(int index, int indexBits) {
    return index < -1 >>> (Integer.SIZE - indexBits);
  }

  /** The cell of an index. */
  static int cell(long hash, int index, int indexBits) {
    return tag(hash, indexBits) | index + 1;
  }

  /** What a cell holds beside the index: the low bits of the hash. */
  static int tag(long hash, int indexBits) {
    return (int) hash << indexBits;
  }

  /** The cell that a search begins at. */
  static int home(long hash, int cells) {
    return (int) (((hash & 0xFFFF_FFFFL) * cells) >>> Integer.SIZE);
  }
}
