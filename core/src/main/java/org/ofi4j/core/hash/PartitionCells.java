// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The cells of a partition while it is built anew, in an array, so that nothing is looked for in
 * it: each line knows how many cells it has. Used again and again by one thread.
 */
final class PartitionCells {
  /** None at all, to begin with. */
  static final PartitionCells NONE = new PartitionCells(0);

  private final int[] cells;
  private final int[] used;
  private int lines;
  private int indexBits;
  private int count;

  private PartitionCells(int lines) {
    this.cells = new int[lines << CellLine.CELL_BITS];
    this.used = new int[lines];
  }

  /**
   * The cells of a partition, all free.
   *
   * @param size its size; see {@link PartitionSizes}
   * @param numberBits how many bits of a cell hold the number
   * @return these or others
   */
  PartitionCells sized(int size, int numberBits) {
    int needed = PartitionSizes.cells(size) >>> CellLine.CELL_BITS;
    PartitionCells sized = needed <= used.length ? this : new PartitionCells(needed);
    sized.lines = needed;
    sized.indexBits = numberBits;
    sized.count = 0;
    Arrays.fill(sized.cells, 0, needed << CellLine.CELL_BITS, 0);
    Arrays.fill(sized.used, 0, needed, 0);
    return sized;
  }

  /** How many cells are used. */
  int count() {
    return count;
  }

  /**
   * Adds a number.
   *
   * @param hash its hash
   * @param number the number
   * @param perhapsAgain whether it may be there already; then it is not added
   */
  void add(long hash, int number, boolean perhapsAgain) {
    int cell = PartitionWord.cell(hash, number, indexBits);
    int line = PartitionWord.home(hash, lines);
    while (used[line] == CellLine.CELLS) {
      if (perhapsAgain && contains(line, cell)) {
        return;
      }
      line = line + 1 == lines ? 0 : line + 1;
    }
    if (perhapsAgain && contains(line, cell)) {
      return;
    }
    cells[(line << CellLine.CELL_BITS) + used[line]++] = cell;
    count++;
  }

  private boolean contains(int line, int cell) {
    int first = line << CellLine.CELL_BITS;
    for (int i = first; i < first + used[line]; i++) {
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
