// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What any thread may ask of {@link FreeIndices}, lock-free.
 *
 * <p>Who asks about an index of a run must make sure afterwards that the run is still there and
 * still covers it: what is behind the end is not recorded as free. And it must have looked at the
 * slot before and look at it again after, as an index that has got one is not free any more.
 */
public record FreeIndexLookups(
    SlabAllocator allocator, FreeIndexDirectory directory, FreeBitmaps bitmaps) {
  private static final int BITS = FreeIndexDirectory.BLOCK_BITS;
  private static final int LOW = FreeIndexDirectory.BLOCK_SIZE - 1;

  /** The {@link FreeIndices#end}; what is live all the while is before it. */
  public int end() {
    return SegmentAccess.intAcquire(allocator.root(), Superblock.END);
  }

  /** Whether any index is free, as it was at a moment during the call. */
  public boolean isFree(int index) {
    int block = index >>> BITS;
    while (true) {
      int leaf = directory.leaf(block);
      if (leaf == 0) {
        return false;
      }
      MemorySegment segment = allocator.segment(leaf);
      long offset = directory.offset(leaf, block);
      int epoch = SegmentAccess.intAcquire(segment, offset + FreeIndexDirectory.EPOCH);
      long word = SegmentAccess.longAcquire(segment, offset + FreeIndexDirectory.WORD);
      boolean free = bitmaps.contains(word, index & LOW);
      // The bit is read before the epoch again: if that is the same, the memory was that of the
      // word.
      VarHandle.acquireFence();
      if (SegmentAccess.intOpaque(segment, offset + FreeIndexDirectory.EPOCH) == epoch) {
        return free;
      }
    }
  }

  /**
   * Where the free indices end that begin with one, as far as one block goes.
   *
   * @param index any index
   * @return that index if it is not free, else at most the end of its block; between them each
   *     index was free at a moment during the call
   */
  public long freeTo(int index) {
    int block = index >>> BITS;
    int low = index & LOW;
    while (true) {
      int epoch = directory.epoch(block);
      long end =
          index - low + (long) bitmaps.endFrom(directory.get(block, FreeIndexDirectory.WORD), low);
      VarHandle.acquireFence();
      if (directory.epoch(block) == epoch) {
        return end;
      }
    }
  }

  /** Whether an index may be recorded as free; none of its block is if not. */
  public boolean mayBeFree(int index) {
    return directory.get(index >>> BITS, FreeIndexDirectory.MARKS) != 0;
  }

  /**
   * The least generation that comes next in an interval, so that no index has the same one twice;
   * slots keep their own.
   *
   * @param first the first index
   * @return the generation; 0 where nothing without a slot ever died
   */
  public long nextGeneration(int first, int count) {
    long most = 0;
    int last = (first + count - 1) >>> BITS;
    for (int block = first >>> BITS; block <= last; block++) {
      if (directory.leaf(block) == 0) {
        block |= FreeIndexDirectory.LEAF_BLOCKS - 1;
      } else {
        most = Math.max(most, directory.get(block, FreeIndexDirectory.NEXT_GENERATION));
      }
    }
    return most;
  }
}
