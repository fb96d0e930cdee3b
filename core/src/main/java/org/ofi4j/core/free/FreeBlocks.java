// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * The free indices of all blocks, by intervals that may go over any number of these. Numbers in a
 * block are called low.
 *
 * <p>A block gets its bitmap before anything in it has a slot, and the bitmap stays as long as
 * something may have: so what has a slot is released without memory. It begins small and doubles
 * with the lows that are used. Where entries of runs die, the bitmap comes with the first of them,
 * and goes when all of the block is free.
 *
 * <p>A new bitmap is complete before one store of the word of the block shows it; the old memory is
 * used again at once, and readers find out by the epoch. A mark of 1024 lows comes before the first
 * of them is free and goes after the last. One thread at a time writes.
 */
final class FreeBlocks {
  private static final int BITS = FreeIndexDirectory.BLOCK_BITS;
  private static final int SIZE = FreeIndexDirectory.BLOCK_SIZE;
  private static final int LOW = SIZE - 1;
  private static final int MARK_BITS = FreeIndexDirectory.MARK_BITS;

  private final SlabAllocator allocator;
  private final FreeIndexCursor cursor;
  private final FreeBitmaps bitmaps;

  FreeBlocks(SlabAllocator allocator, FreeIndexCursor cursor, FreeBitmaps bitmaps) {
    this.allocator = allocator;
    this.cursor = cursor;
    this.bitmaps = bitmaps;
  }

  /**
   * Where the first free extent begins.
   *
   * @param index where to begin
   * @return its first index; -1 if there is none
   */
  int firstFrom(int index) {
    int low = index & LOW;
    for (int block = index >>> BITS; block >= 0; block = cursor.next(block + 1)) {
      int found = firstIn(block, low);
      if (found >= 0) {
        return block << BITS | found;
      }
      low = 0;
    }
    return -1;
  }

  /** The first free low of a block that is not below one, or -1. */
  private int firstIn(int block, int low) {
    long word = cursor.word(block);
    if (FreeBitmaps.isAll(word)) {
      return low;
    }
    for (long marks = cursor.marks(block) & -1L << (low >>> MARK_BITS);
        marks != 0;
        marks &= marks - 1) {
      int first = Long.numberOfTrailingZeros(marks) << MARK_BITS;
      int end = Math.min(first + FreeBitmaps.LEAST_ROOM, FreeBitmaps.room(word));
      for (int at = Math.max(first, low); at < end; at = (at | 63) + 1) {
        long bits = bitmaps.bits(word, at) & -1L << at;
        if (bits != 0) {
          return (at & -64) | Long.numberOfTrailingZeros(bits);
        }
      }
    }
    return -1;
  }

  /**
   * Where a free extent ends.
   *
   * @param first its first index, or any other below the end
   * @return one more than its last index; the index if it is not free
   */
  int endFrom(int first, int end) {
    int at = first;
    while (at < end) {
      int base = at & -SIZE;
      int stop = base + bitmaps.endFrom(cursor.word(at >>> BITS), at - base);
      if (stop < at) {
        throw new IllegalStateException("the last block of indices is free as a whole");
      }
      if (stop == at || stop - base < SIZE) {
        return stop;
      }
      at = stop;
    }
    return end;
  }

  /** Where the free extent begins that ends before an index; that index if there is none. */
  int startBefore(int end) {
    int at = end;
    while (at > 0) {
      int base = at - 1 & -SIZE;
      int start = base + bitmaps.startBefore(cursor.word(base >>> BITS), at - base);
      if (start == at || start > base) {
        return start;
      }
      at = start;
    }
    return at;
  }

  boolean isWhollyFree(int index) {
    return FreeBitmaps.isAll(cursor.word(index >>> BITS));
  }

  /**
   * Makes sure that an index can be taken and released.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepare(int index) {
    int block = index >>> BITS;
    int low = index & LOW;
    long word = cursor.word(block);
    if (low < FreeBitmaps.room(word)) {
      return;
    }
    cursor.ensure(block);
    boolean all = FreeBitmaps.isAll(word);
    int room = all ? SIZE : Math.max(FreeBitmaps.LEAST_ROOM, Integer.highestOneBit(low) << 1);
    int units = FreeBitmaps.units(FreeBitmaps.word(0, room));
    int unit = allocator.allocate(units);
    MemorySegment memory = memory(unit, units);
    if (all) {
      memory.fill((byte) -1);
    } else if (word != FreeBitmaps.NONE) {
      MemorySegment narrow = memory(FreeBitmaps.unit(word), FreeBitmaps.units(word));
      MemorySegment.copy(narrow, 0, memory, 0, narrow.byteSize());
    }
    replace(block, FreeBitmaps.word(unit, room));
  }

  /** Makes an interval of one block free, {@link #prepare prepared}. */
  void add(int from, int to) {
    change(from >>> BITS, from & LOW, (to - 1 & LOW) + 1, true);
  }

  /**
   * Makes an entry of a run free.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void addOfRun(int index) {
    prepare(index);
    add(index, index + 1);
    if (isFull(cursor.word(index >>> BITS), index & LOW)) {
      addAll(index >>> BITS);
    }
  }

  /**
   * Makes an interval free that goes over any number of blocks.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  void restore(int from, int to) {
    for (int at = from; at < to; ) {
      int block = at >>> BITS;
      int base = at & -SIZE;
      int stop = Math.min(to - base, SIZE);
      if (stop - (at - base) == SIZE) {
        cursor.ensure(block);
        addAll(block);
      } else {
        prepare(base + stop - 1);
        add(at, base + stop);
      }
      at = base + stop;
    }
  }

  /** Takes a free interval; the last of it is {@link #prepare prepared} if its block goes on. */
  void take(int from, int to) {
    for (int at = from; at < to; ) {
      int base = at & -SIZE;
      int stop = Math.min(to - base, SIZE);
      if (stop - (at - base) == SIZE) {
        clear(at >>> BITS);
      } else {
        change(at >>> BITS, at - base, stop, false);
      }
      at = base + stop;
    }
  }

  /**
   * Forgets what is behind the end of all indices from now on.
   *
   * @param end the new end, where a free extent begins
   * @param to where that extent ends, at what was the last index
   */
  void forget(int end, int to) {
    take(end, to);
    for (int block = to >>> BITS; block << BITS >= end; block--) {
      clear(block);
    }
  }

  /** Whether a bitmap has all bits; looks at that of a low first. */
  private boolean isFull(long word, int low) {
    int looks = FreeBitmaps.room(word) < SIZE ? 0 : SIZE;
    for (int i = 0; i < looks; i += Long.SIZE) {
      if (bitmaps.bits(word, low + i & LOW) != -1) {
        return false;
      }
    }
    return looks > 0;
  }

  /** Makes all of a block free that has a leaf. */
  private void addAll(int block) {
    cursor.setMarks(block, -1);
    replace(block, FreeBitmaps.ALL);
  }

  /** Lets nothing of a block be free, and its bitmap go. */
  private void clear(int block) {
    if (cursor.word(block) != FreeBitmaps.NONE) {
      replace(block, FreeBitmaps.NONE);
      cursor.setMarks(block, 0);
    }
  }

  /** Lets at least one low be free or not, whatever they are now. */
  private void change(int block, int from, int to, boolean free) {
    long word = cursor.word(block);
    if (to > FreeBitmaps.room(word)) {
      throw new IllegalStateException(
          "index " + (block << BITS | to - 1) + " was not prepared to be free");
    }
    for (int at = from; at < to; at = (at | 63) + 1) {
      long mask = -1L << at;
      if (to <= (at | 63)) {
        mask &= ~(-1L << to);
      }
      long before = bitmaps.bits(word, at);
      long after = free ? before | mask : before & ~mask;
      long mark = 1L << (at >>> MARK_BITS);
      if (before == 0 && free) {
        cursor.setMarks(block, cursor.marks(block) | mark);
      }
      bitmaps.store(word, at, after);
      if (after == 0 && isEmpty(word, at & -FreeBitmaps.LEAST_ROOM)) {
        cursor.setMarks(block, cursor.marks(block) & ~mark);
      }
    }
  }

  /** Whether none of 1024 lows is free. */
  private boolean isEmpty(long word, int first) {
    for (int at = first; at < first + FreeBitmaps.LEAST_ROOM; at += Long.SIZE) {
      if (bitmaps.bits(word, at) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Publishes a word and frees the memory that the one before it told of. */
  private void replace(int block, long word) {
    long before = cursor.word(block);
    cursor.publish(block, word);
    if (FreeBitmaps.units(before) > 0) {
      allocator.free(FreeBitmaps.unit(before), FreeBitmaps.units(before));
    }
  }

  private MemorySegment memory(int unit, int units) {
    return allocator
        .segment(unit)
        .asSlice(allocator.offset(unit), (long) units * SlabAllocator.UNIT_BYTES);
  }
}
