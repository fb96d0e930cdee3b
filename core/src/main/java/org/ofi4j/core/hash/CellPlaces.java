// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.Space;

/**
 * Where the cells of {@link HashCells} are that the one thread that writes is going to change. A
 * place is the unit of a line, in the upper half, and how far in the line a cell is.
 */
final class CellPlaces {
  private final Space space;
  private final Partitions partitions;
  private final HashedNumbers numbers;

  CellPlaces(Space space, Partitions partitions, HashedNumbers numbers) {
    this.space = space;
    this.partitions = partitions;
    this.numbers = numbers;
  }

  static int unit(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  /** Where a place is in the segment of its unit. */
  long offset(long place) {
    return space.offset(unit(place)) + (int) place;
  }

  /**
   * Where a cell goes, in a partition with room for it.
   *
   * @param partition the partition
   * @param word its word
   * @param hash the hash of the cell's number
   * @param cell the cell
   * @param abandoned whether there are abandoned cells in the table
   * @return the place of a cell that is free, removed, or abandoned
   */
  long forCell(int partition, long word, long hash, int cell, boolean abandoned) {
    int line = PartitionWord.home(hash, PartitionWord.lines(word));
    for (int left = PartitionWord.lines(word); left > 0; left--) {
      int unit = partitions.line(partition, word, line);
      MemorySegment block = space.segment(unit);
      long offset = space.offset(unit);
      // Who comes again and again takes the cell that it left.
      long usable = abandoned ? abandoned(block, offset, word, cell) : 0;
      if (usable == 0) {
        usable = CellLine.usable(block, offset);
      }
      if (usable != 0) {
        return place(unit, CellLine.offset(offset, usable) - offset);
      }
      line = PartitionWord.nextLine(line, word);
    }
    throw new IllegalStateException("no place for cell " + Integer.toHexString(cell));
  }

  /** The place of a cell that there is. */
  long ofCell(int partition, long word, long hash, int cell) {
    int indexBits = PartitionWord.indexBits(word);
    int tag = cell & ~PartitionWord.numberMask(indexBits);
    int line = PartitionWord.home(hash, PartitionWord.lines(word));
    for (int left = PartitionWord.lines(word); left > 0; left--) {
      int unit = partitions.line(partition, word, line);
      MemorySegment block = space.segment(unit);
      long offset = space.offset(unit);
      long tagged = CellLine.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = CellLine.withoutFirst(tagged)) {
        long at = CellLine.offset(offset, tagged);
        if (block.get(JAVA_INT, at) == cell) {
          return place(unit, at - offset);
        }
      }
      line = PartitionWord.nextLine(line, word);
    }
    throw new IllegalStateException("no place for cell " + Integer.toHexString(cell));
  }

  /** The cells of a line that have the tag of a cell, from the first abandoned one on. */
  private long abandoned(MemorySegment block, long line, long word, int cell) {
    int indexBits = PartitionWord.indexBits(word);
    int mask = PartitionWord.numberMask(indexBits);
    long tagged = CellLine.tagged(block, line, cell & ~mask, indexBits);
    for (; tagged != 0; tagged = CellLine.withoutFirst(tagged)) {
      int field = block.get(JAVA_INT, CellLine.offset(line, tagged)) & mask;
      if (field != 0 && numbers.isNothing(field - 1)) {
        break;
      }
    }
    return tagged;
  }

  private static long place(int unit, long inLine) {
    return (long) unit << Integer.SIZE | inLine;
  }
}
