package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * Pieces of memory for partitions of the reverse index, in units of 64 bytes, which are 16 cells.
 *
 * <pre>
 *   size class    0   1   2   3   4   5   6    7    8 ...   14     15
 *   units         1   2   3   4   6   8  12   16   24 ...  192    256
 *   cells        16  32  48  64  96 128 192  256  384 ... 3072   4096
 * </pre>
 *
 * <p>A block that is given back waits in the list of its size, linked through its first four bytes;
 * readers that still look at it must find out by themselves that it is not theirs any more. What is
 * left at the end of a chunk becomes smaller blocks. Unit 0 is never given out. For one thread at a
 * time, except {@link #segment} and {@link #offset}.
 */
final class Blocks {
  static final int SIZE_CLASSES = 16;
  static final int UNIT_BYTES = 64;
  static final int CELLS_PER_UNIT = UNIT_BYTES / Integer.BYTES;

  private static final int[] UNITS = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};

  private final Chunks units;
  private final int[] free = new int[SIZE_CLASSES];
  private int next = 1;
  private long used;

  Blocks(MemorySource memory) {
    // 16 units, a kilobyte, to begin with; at most a megabyte at a time.
    units = new Chunks(memory, UNIT_BYTES, 4, 14);
  }

  /** How many cells a block of a size class has. */
  static int cells(int sizeClass) {
    return UNITS[sizeClass] * CELLS_PER_UNIT;
  }

  /**
   * Gives out a block.
   *
   * @param sizeClass how large
   * @return its first unit; the block is all zeros
   * @throws OutOfMemoryError if memory ran out
   */
  int take(int sizeClass) {
    int size = UNITS[sizeClass];
    int block = free[sizeClass];
    if (block != 0) {
      free[sizeClass] = segment(block).get(JAVA_INT, offset(block));
      segment(block).asSlice(offset(block), (long) size * UNIT_BYTES).fill((byte) 0);
    } else {
      block = carve(size);
    }
    used += (long) size * UNIT_BYTES;
    return block;
  }

  /**
   * Takes a block back.
   *
   * @param block its first unit
   * @param sizeClass how large it is
   */
  void give(int block, int sizeClass) {
    link(block, sizeClass);
    used -= (long) UNITS[sizeClass] * UNIT_BYTES;
  }

  MemorySegment segment(int block) {
    return units.segment(block);
  }

  long offset(int block) {
    return units.offset(block);
  }

  /** Bytes of the blocks that are out. */
  long usedBytes() {
    return used;
  }

  /** Takes units that were never used, all in one chunk. */
  private int carve(int size) {
    units.ensure(next);
    while (units.roomFrom(next) < size) {
      int room = units.roomFrom(next);
      for (int i = SIZE_CLASSES - 1; i >= 0; i--) {
        while (UNITS[i] <= room) {
          link(next, i);
          next += UNITS[i];
          room -= UNITS[i];
        }
      }
      units.ensure(next);
    }
    int block = next;
    next += size;
    return block;
  }

  private void link(int block, int sizeClass) {
    segment(block).set(JAVA_INT, offset(block), free[sizeClass]);
    free[sizeClass] = block;
  }
}
