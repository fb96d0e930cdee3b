// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The cells of a partition while it is built anew, in an array, so that nothing is looked for in
 * it: each bucket knows how many cells it has. Used again and again by one thread.
 */
final class PartitionCells {
  /** None at all, to begin with. */
  static final PartitionCells NONE = new PartitionCells(0);

  private final int[] cells;
  private final int[] used;
  private int buckets;
  private int indexBits;
  private int count;

  private PartitionCells(int buckets) {
    this.cells = new int[buckets << Bucket.CELL_BITS];
    this.used = new int[buckets];
  }

  /**
   * The cells of a partition, all free.
   *
   * @param size its size; see {@link PartitionSizes}
   * @param numberBits how many bits of a cell hold the number
   * @return these or others
   */
  PartitionCells sized(int size, int numberBits) {
    int needed = PartitionSizes.cells(size) >>> Bucket.CELL_BITS;
    PartitionCells sized = needed <= used.length ? this : new PartitionCells(needed);
    sized.buckets = needed;
    sized.indexBits = numberBits;
    sized.count = 0;
    Arrays.fill(sized.cells, 0, needed << Bucket.CELL_BITS, 0);
    Arrays.fill(sized.used, 0, needed, 0);
    return sized;
  }

  int count() {
    return count;
  }

  /** Adds a number; one that may be there already, only if it is not. */
  void add(long hash, int number, boolean perhapsAgain) {
    int cell = PartitionWord.cell(hash, number, indexBits);
    int bucket = PartitionWord.home(hash, buckets);
    while (used[bucket] == Bucket.CELLS) {
      if (perhapsAgain && contains(bucket, cell)) {
        return;
      }
      bucket = bucket + 1 == buckets ? 0 : bucket + 1;
    }
    if (perhapsAgain && contains(bucket, cell)) {
      return;
    }
    cells[(bucket << Bucket.CELL_BITS) + used[bucket]++] = cell;
    count++;
  }

  private boolean contains(int bucket, int cell) {
    int first = bucket << Bucket.CELL_BITS;
    for (int i = first; i < first + used[bucket]; i++) {
      if (cells[i] == cell) {
        return true;
      }
    }
    return false;
  }

  /** Copies some of the cells to where they are going to be. */
  void copy(int from, MemorySegment block, long offset, int length) {
    MemorySegment.copy(cells, from, block, JAVA_INT, offset, length);
  }
}
