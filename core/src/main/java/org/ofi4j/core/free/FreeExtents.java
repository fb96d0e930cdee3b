// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * The free indices of all blocks, by intervals that may go over any number of these: a search goes
 * from block to block, a change prepares the first and the last block and can do without memory for
 * those between, which become free as a whole.
 *
 * <p>Each block is looked at once at most. In one of them that is 1024 words of a bitmap or ten
 * steps in an array, unless it {@link FreeIndexBlocks#leaveUnrecorded left} free indices
 * unrecorded: then its 65,536 slots are asked, and nothing goes on before there is memory to record
 * what they say.
 *
 * <p>For one thread at a time.
 */
record FreeExtents(
    SlabAllocator allocator,
    FreeIndexCursor cursor,
    Containers containers,
    FreeIndexBlocks blocks) {
  private static final int BITS = FreeIndexDirectory.BLOCK_BITS;
  private static final int LOW = FreeIndexDirectory.BLOCK_SIZE - 1;

  /**
   * The lowest free index, even if it cannot be recorded for want of memory; -1 if there is none.
   */
  int lowest() {
    for (int block = cursor.next(0); block >= 0; block = cursor.next(block)) {
      if (!FreeIndexWord.hasUnrecorded(cursor.word(block))) {
        return block << BITS | containers.lowest(cursor.word(block), cursor.summary(block));
      }
      try {
        blocks.recover(block, lowEnd(block));
      } catch (OutOfMemoryError e) {
        int low = blocks.search(block, lowEnd(block));
        if (low >= 0) {
          return block << BITS | low;
        }
        // All that was unrecorded has been used again since.
        cursor.publish(block, cursor.word(block) & ~FreeIndexWord.UNRECORDED);
      }
    }
    return -1;
  }

  /**
   * Where the first free extent begins.
   *
   * @param index where to begin, below the end
   * @return its first index; the end if there is none
   * @throws OutOfMemoryError if what was left unrecorded cannot be recorded now either
   */
  int firstFrom(int index, int end) {
    int low = index & LOW;
    for (int block = index >>> BITS; block >= 0; block = cursor.next(block + 1)) {
      recover(block);
      int found = containers.ceiling(cursor.word(block), cursor.summary(block), low);
      if (found >= 0) {
        return block << BITS | found;
      }
      low = 0;
    }
    return end;
  }

  /**
   * Where a free extent ends.
   *
   * @param first its first index, or any other
   * @return one more than its last index
   * @throws OutOfMemoryError as for {@link #firstFrom}
   */
  int endFrom(int first, int end) {
    int block = first >>> BITS;
    int low = first & LOW;
    while (true) {
      int stop = containers.endFrom(cursor.word(block), low);
      if (stop < FreeIndexDirectory.BLOCK_SIZE) {
        return block << BITS | stop;
      }
      block++;
      if (block > (end - 1) >>> BITS) {
        return end;
      }
      recover(block);
      if (containers.ceiling(cursor.word(block), cursor.summary(block), 0) != 0) {
        return block << BITS;
      }
      low = 0;
    }
  }

  /**
   * Where a free extent begins.
   *
   * @return its first index; the end if what is before that is not free, or perhaps is not: where
   *     what was left unrecorded cannot be recorded, the interval begins behind it
   */
  int startBefore(int end) {
    int start = end;
    while (start > 0) {
      int block = (start - 1) >>> BITS;
      int base = block << BITS;
      try {
        recover(block);
      } catch (OutOfMemoryError e) {
        return start;
      }
      int before = base + containers.startBefore(cursor.word(block), start - base);
      if (before == start || before != base) {
        return before;
      }
      start = before;
    }
    return start;
  }

  /**
   * Makes sure that the free indices before one can be taken.
   *
   * @param end one more than the last of them
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepareTake(int end) {
    blocks.prepareTake((end - 1) >>> BITS, ((end - 1) & LOW) + 1);
  }

  /**
   * Takes an interval.
   *
   * @param from its first index; none before it is free
   * @param to one more than its last, {@link #prepareTake prepared}
   */
  void take(int from, int to) {
    for (int block = from >>> BITS; block <= (to - 1) >>> BITS; block++) {
      int base = block << BITS;
      blocks.take(
          block, Math.max(from - base, 0), Math.min(to - base, FreeIndexDirectory.BLOCK_SIZE));
    }
  }

  /**
   * Makes an interval free.
   *
   * @param from its first index
   * @param to one more than its last; none of them is free
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void add(int from, int to) {
    int firstBlock = from >>> BITS;
    int lastBlock = (to - 1) >>> BITS;
    for (int block = lastBlock; block >= firstBlock; block--) {
      cursor.ensure(block);
    }
    int firstStop =
        firstBlock == lastBlock ? to - (lastBlock << BITS) : FreeIndexDirectory.BLOCK_SIZE;
    long firstPlan = blocks.plan(firstBlock, from & LOW, firstStop);
    if (firstBlock != lastBlock) {
      int lastStop = to - (lastBlock << BITS);
      long lastPlan;
      try {
        lastPlan = blocks.plan(lastBlock, 0, lastStop);
      } catch (OutOfMemoryError e) {
        blocks.discard(firstBlock, firstPlan);
        throw e;
      }
      for (int block = firstBlock + 1; block < lastBlock; block++) {
        blocks.add(block, 0, FreeIndexDirectory.BLOCK_SIZE, FreeIndexWord.ALL_FREE);
      }
      blocks.add(lastBlock, 0, lastStop, lastPlan);
    }
    blocks.add(firstBlock, from & LOW, firstStop, firstPlan);
  }

  /**
   * Forgets an interval that is behind the end of the indices from now on.
   *
   * @param from its first index
   * @param to one more than its last; nothing from here on is free
   */
  void forget(int from, int to) {
    for (int at = to; at > from; ) {
      int block = (at - 1) >>> BITS;
      int base = block << BITS;
      int low = Math.max(from - base, 0);
      blocks.forget(block, low, at - base);
      at = base + low;
    }
  }

  private void recover(int block) {
    if (FreeIndexWord.hasUnrecorded(cursor.word(block))) {
      blocks.recover(block, lowEnd(block));
    }
  }

  /** One more than the last low of a block that is below the end. */
  private int lowEnd(int block) {
    return Math.min(
        allocator.root().get(JAVA_INT, Superblock.END) - (block << BITS),
        FreeIndexDirectory.BLOCK_SIZE);
  }
}
