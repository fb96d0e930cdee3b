// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.Space;

/** Searches for a number of which its user can tell whether it is the one. */
final class CellSearch {
  private final Space space;
  private final HashCells cells;

  CellSearch(Space space, HashCells cells) {
    this.space = space;
    this.cells = cells;
  }

  /** See {@link HashCells#find}. */
  int find(long hash, HashCells.Match match, long wanted) {
    int looks = 0;
    while (true) {
      int partition = cells.partition(hash);
      if (partition == 0) {
        return -1;
      }
      long word = cells.word(partition);
      if (!PartitionWord.covers(word, hash)) {
        cells.refresh();
        looks = HashCells.again(looks, hash);
        continue;
      }
      int found = search(partition, word, hash, match, wanted);
      if (cells.isCurrent(partition, word)) {
        return found;
      }
      looks = HashCells.again(looks, hash);
    }
  }

  /** Searches a partition; the answer means nothing if the word changed meanwhile. */
  private int search(int partition, long word, long hash, HashCells.Match match, long wanted) {
    int lines = PartitionWord.lines(word);
    int indexBits = PartitionWord.indexBits(word);
    int lineBits = PartitionWord.lineBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int mask = PartitionWord.numberMask(indexBits);
    int line = PartitionWord.home(hash, lines);
    // Blocks that were taken for something else may have no free cell where they had one.
    for (int left = lines; left > 0; left--) {
      int unit = cells.block(partition, word, line >>> lineBits);
      MemorySegment block = space.segment(unit);
      long offset = cells.line(unit, word, line);
      if (!HashCells.isLine(block, offset)) {
        return -1;
      }
      long tagged = CellLine.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = CellLine.withoutFirst(tagged)) {
        // The tag cancels out if it is the same, and leaves the number plus 1.
        int number = (SegmentAccess.intAcquire(block, CellLine.offset(offset, tagged)) ^ tag) - 1;
        if (number >= 0 && number < mask && match.matches(number, wanted)) {
          return number;
        }
      }
      if (CellLine.hasFree(block, offset)) {
        return -1;
      }
      line = PartitionWord.nextLine(line, word);
    }
    return -1;
  }
}
