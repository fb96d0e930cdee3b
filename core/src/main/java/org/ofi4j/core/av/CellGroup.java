package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/**
 * Eight cells of a partition looked at together, without a branch for each. Most searches end among
 * the first eight cells, but nobody can tell at which: a branch for each would be mispredicted for
 * nearly every search, and then nothing of the next search is under way while this one waits for
 * memory.
 */
final class CellGroup {
  static final int CELLS = 8;

  private static final int CELL_BITS = Integer.SIZE;

  /** How far the first of two cells is shifted in the word that both are in. */
  private static final int FIRST = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 0 : 32;

  private static final int SECOND = CELL_BITS - FIRST;

  private CellGroup() {}

  /**
   * Which cells have a tag.
   *
   * @param block the memory of a block
   * @param offset where the first cell is, a multiple of 8
   * @param tag the tag
   * @param mask the bits that are none of the tag's
   * @return a bit for each cell, the lowest for the first
   */
  static int tagged(MemorySegment block, long offset, int tag, int mask) {
    long others = ~mask & 0xFFFF_FFFFL;
    long tags = tag & 0xFFFF_FFFFL;
    int found = pair(SegmentAccess.longOpaque(block, offset), tags, others);
    found |= pair(SegmentAccess.longOpaque(block, offset + 8), tags, others) << 2;
    found |= pair(SegmentAccess.longOpaque(block, offset + 16), tags, others) << 4;
    found |= pair(SegmentAccess.longOpaque(block, offset + 24), tags, others) << 6;
    return found;
  }

  private static int pair(long cells, long tags, long others) {
    // 0 less 1 is negative, and nothing else that has 32 bits.
    long first = (((cells >>> FIRST ^ tags) & others) - 1) >>> (Long.SIZE - 1);
    long second = (((cells >>> SECOND ^ tags) & others) - 1) >>> (Long.SIZE - 1);
    return (int) (first | second << 1);
  }
}
