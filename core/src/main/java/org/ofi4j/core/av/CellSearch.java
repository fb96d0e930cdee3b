package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;

/** A search in one partition for a number of which its user can tell whether it is the one. */
final class CellSearch {
  private final Space space;
  private final HashCells cells;

  CellSearch(Space space, HashCells cells) {
    this.space = space;
    this.cells = cells;
  }

  /**
   * Searches a partition; for any thread.
   *
   * @param partition the partition
   * @param word its word
   * @param hash the hash of the number
   * @param match what tells it from others
   * @param wanted what is passed to that
   * @return the first number that matches, or -1; means nothing if the word changed meanwhile
   */
  int search(int partition, long word, long hash, HashCells.Match match, long wanted) {
    int size = PartitionWord.cells(word);
    int cellBits = PartitionWord.cellBits(word);
    int indexBits = PartitionWord.indexBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int mask = PartitionWord.numberMask(indexBits);
    int position = PartitionWord.home(hash, size);
    // Blocks that were taken for something else may have no free cell where they had one.
    for (int left = size == 0 ? 0 : PartitionWord.blocks(word) + 1; left > 0; left--) {
      int unit = cells.block(partition, word, position >>> cellBits);
      MemorySegment block = space.segment(unit);
      long base = space.offset(unit);
      if (!HashCells.isBlock(block, base, cellBits)) {
        return -1;
      }
      int end = 1 << cellBits;
      for (int i = position & (end - 1); i < end; i++) {
        int cell = SegmentAccess.intAcquire(block, base + 4L * i);
        if (cell == 0) {
          return -1;
        }
        // The tag cancels out if it is the same, and leaves the number plus 1.
        int candidate = cell ^ tag;
        if ((candidate & ~mask) == 0 && candidate != 0 && match.matches(candidate - 1, wanted)) {
          return candidate - 1;
        }
      }
      position = HashCells.nextBlock(position, cellBits, size);
    }
    return -1;
  }
}
