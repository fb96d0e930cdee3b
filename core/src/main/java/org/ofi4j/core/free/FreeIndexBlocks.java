// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.IntPredicate;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What is free in each block of 65,536 indices, in the least memory for it: nothing if none or all
 * of them are, up to 1024 as a sorted array, else a bitmap. Numbers in a block are called low.
 *
 * <pre>
 *   nothing ──▶ array ──▶ bitmap ──▶ all        a bitmap becomes an array again when 512 are left;
 *      ▲          │ ▲        │ ▲      │         all becomes a bitmap before some of it is taken
 *      └──────────┘ └────────┘ └──────┘
 * </pre>
 *
 * <p>The lowest block with free indices, in which the next insertion takes an index, keeps its
 * bitmap when the last of its indices becomes free. So an entry that comes and goes there costs no
 * bitmap each time. There is one such block at most.
 *
 * <p>Each change of representation is one store of the block's word, after the new one is complete;
 * the old memory is used again at once, and readers find out by the epoch. One thread at a time
 * writes.
 */
final class FreeIndexBlocks {
  private static final int SIZE = FreeIndexDirectory.BLOCK_SIZE;

  /** From so many on, indices that follow each other are set word by word of a bitmap. */
  private static final int INTERVAL = 8;

  private final SlabAllocator allocator;
  private final FreeIndexCursor cursor;
  private final Containers containers;
  private final ArrayContainers arrays;
  private final BitmapContainers bitmaps;
  private final IntPredicate unused;

  private final KnownBitmaps known = new KnownBitmaps();

  /**
   * No block has a free index.
   *
   * @param unused whether an index is neither live nor reserved, as slots and runs tell
   */
  FreeIndexBlocks(
      SlabAllocator allocator, FreeIndexCursor cursor, Containers containers, IntPredicate unused) {
    this.allocator = allocator;
    this.cursor = cursor;
    this.containers = containers;
    this.arrays = containers.arrays();
    this.bitmaps = containers.bitmaps();
    this.unused = unused;
  }

  /** Looks at everything anew, as another process may have written. */
  void follow() {
    known.forget();
  }

  /**
   * Makes one low free that is not.
   *
   * @param block a block that has a leaf
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void add(int block, int low) {
    long word = cursor.word(block);
    if (FreeIndexWord.kind(word) != FreeIndexWord.BITMAP) {
      add(block, low, low + 1, plan(block, low, low + 1));
    } else if (bitmaps.set(FreeIndexWord.unit(word), cursor.summary(block), low) == SIZE) {
      fill(block);
    }
  }

  /**
   * Makes indices free that are not, in whatever blocks they are, as long as that is plain to do.
   * What was stored before is seen with each of them.
   *
   * @param from the first one, in a block that has a leaf
   * @param to one more than the last one
   * @param but an index that ends it
   * @return one more than the last that is free now
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  int add(int[] indices, int from, int to, int but) {
    VarHandle.releaseFence();
    int at = from;
    while (at < to && indices[at] != but && !mayFollow(indices, at, to)) {
      int block = indices[at] >>> FreeIndexDirectory.BLOCK_BITS;
      MemorySegment bitmap = known.bitmap(block);
      MemorySegment summary = known.summary(block);
      if (bitmap == null || summary == null) {
        break;
      }
      if (BitmapContainers.add(bitmap, summary, indices[at] & SIZE - 1) == SIZE) {
        fill(block);
      }
      at++;
    }
    return at == from ? addFirst(indices, from, to, but) : at;
  }

  /** Whether so many may follow each other from one on that they are an interval. */
  private static boolean mayFollow(int[] indices, int at, int to) {
    int last = at + INTERVAL - 1;
    return last < to && indices[last] - indices[at] == INTERVAL - 1;
  }

  /** As {@link #add(int[], int, int, int)}: an interval, or the first index. */
  private int addFirst(int[] indices, int from, int to, int but) {
    int block = indices[from] >>> FreeIndexDirectory.BLOCK_BITS;
    int low = indices[from] & SIZE - 1;
    int end = interval(indices, from, to, but);
    if (FreeIndexWord.kind(cursor.word(block)) != FreeIndexWord.BITMAP || end - from >= INTERVAL) {
      add(block, low, low + end - from, plan(block, low, low + end - from));
      return end;
    }
    known.note(
        block,
        bitmaps.memory(FreeIndexWord.unit(cursor.word(block))),
        bitmaps.memoryOfSummary(cursor.summary(block)));
    add(block, low);
    return from + 1;
  }

  /** Where the indices end that follow each other in one block. */
  private static int interval(int[] indices, int from, int to, int but) {
    int end = from + 1;
    while (end < to
        && indices[end] == indices[end - 1] + 1
        && (indices[end] & SIZE - 1) != 0
        && indices[end] != but) {
      end++;
    }
    return end;
  }

  /**
   * Finds a representation in which an interval is free too, and allocates the memory for it.
   *
   * @param block a block that has a leaf
   * @param from the first low of the interval; none of it is free
   * @param to one more than the last
   * @return a word for {@link #add} or {@link #discard}
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  long plan(int block, int from, int to) {
    long word = cursor.word(block);
    if (FreeIndexWord.kind(word) != FreeIndexWord.BITMAP) {
      int total = containers.count(word, cursor.summary(block)) + to - from;
      if (total == SIZE) {
        return FreeIndexWord.ALL_FREE;
      }
      if (total <= ArrayContainers.MAX) {
        return arrays.with(word, from, to) | (word & FreeIndexWord.UNRECORDED);
      }
      makeBitmap(block);
    }
    return cursor.word(block);
  }

  /** Makes an interval free, as planned. */
  void add(int block, int from, int to, long planned) {
    if (FreeIndexWord.kind(planned) == FreeIndexWord.BITMAP) {
      bitmaps.set(FreeIndexWord.unit(planned), cursor.summary(block), from, to);
      if (bitmaps.count(cursor.summary(block)) == SIZE) {
        fill(block);
      }
    } else {
      replace(block, planned);
    }
  }

  /** Frees what was allocated for a plan that is not carried out. */
  void discard(int block, long planned) {
    if (FreeIndexWord.kind(planned) == FreeIndexWord.BITMAP) {
      // It is there already, perhaps for the plan alone and without one free index.
      shrink(block);
    } else if (FreeIndexWord.kind(planned) == FreeIndexWord.ARRAY
        && FreeIndexWord.unit(planned) != FreeIndexWord.unit(cursor.word(block))) {
      arrays.free(planned);
    }
  }

  /**
   * Makes sure that the lows below a number can be taken.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepareTake(int block, int end) {
    if (end < SIZE && FreeIndexWord.kind(cursor.word(block)) == FreeIndexWord.ALL) {
      makeBitmap(block);
      keep(block);
    }
  }

  /** Takes an interval of lows, {@link #prepareTake prepared}; none before it is free. */
  void take(int block, int from, int end) {
    long word = cursor.word(block);
    switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.ARRAY ->
          replace(block, arrays.withoutBelow(word, end) | (word & FreeIndexWord.UNRECORDED));
      case FreeIndexWord.BITMAP -> {
        bitmaps.clear(FreeIndexWord.unit(word), cursor.summary(block), from, end);
        shrink(block);
      }
      case FreeIndexWord.ALL -> replace(block, word & FreeIndexWord.UNRECORDED);
      default -> {}
    }
  }

  /** Forgets an interval of free lows that is behind the end of the indices; none follow it. */
  void forget(int block, int from, int end) {
    long word = cursor.word(block);
    switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.ARRAY -> replace(block, arrays.withoutFrom(word, from));
      case FreeIndexWord.BITMAP -> {
        bitmaps.clear(FreeIndexWord.unit(word), cursor.summary(block), from, end);
        shrink(block);
      }
      default -> replace(block, FreeIndexWord.NONE);
    }
  }

  /** Notes that some index of a block is free that its words do not tell of. */
  void leaveUnrecorded(int block) {
    cursor.publish(block, cursor.word(block) | FreeIndexWord.UNRECORDED);
  }

  /**
   * Records what is free in a block that {@link #leaveUnrecorded left} some of it unrecorded; asks
   * all of its slots.
   *
   * @param end one more than the last low in use
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void recover(int block, int end) {
    long word = cursor.word(block);
    int count = 0;
    for (int low = end - 1; low >= 0; low--) {
      count += isUnused(block, word, low) ? 1 : 0;
    }
    if (count <= ArrayContainers.MAX) {
      long array = count == 0 ? FreeIndexWord.NONE : arrays.empty(count);
      int position = 0;
      for (int low = end - 1; low >= 0 && position < count; low--) {
        if (isUnused(block, word, low)) {
          arrays.put(FreeIndexWord.unit(array), position++, low);
        }
      }
      replace(block, array);
    } else if (count == SIZE) {
      replace(block, FreeIndexWord.ALL_FREE);
    } else {
      if (FreeIndexWord.kind(word) != FreeIndexWord.BITMAP) {
        makeBitmap(block);
      }
      long wide = cursor.word(block);
      for (int low = 0; low < end; low++) {
        if (isUnused(block, wide, low)) {
          bitmaps.set(FreeIndexWord.unit(wide), cursor.summary(block), low, low + 1);
        }
      }
      cursor.publish(block, wide & ~FreeIndexWord.UNRECORDED);
    }
  }

  /** The least free low of a block that left some unrecorded, or -1; looks at all of them. */
  int search(int block, int end) {
    long word = cursor.word(block);
    for (int low = 0; low < end; low++) {
      if (isUnused(block, word, low)) {
        return low;
      }
    }
    return -1;
  }

  private boolean isUnused(int block, long word, int low) {
    return containers.contains(word, low)
        || unused.test(block << FreeIndexDirectory.BLOCK_BITS | low);
  }

  /** Lets a bitmap take the place of what there is. */
  private void makeBitmap(int block) {
    long word = cursor.word(block);
    int bitmap = allocator.allocate(BitmapContainers.UNITS);
    int summary;
    try {
      summary = allocator.allocate(BitmapContainers.SUMMARY_UNITS);
    } catch (OutOfMemoryError e) {
      allocator.free(bitmap, BitmapContainers.UNITS);
      throw e;
    }
    if (FreeIndexWord.kind(word) == FreeIndexWord.ALL) {
      bitmaps.fill(bitmap, summary);
    } else {
      for (int i = 0; i < FreeIndexWord.count(word); i++) {
        int low = arrays.at(word, i);
        bitmaps.set(bitmap, summary, low, low + 1);
      }
    }
    cursor.setSummary(block, summary);
    replace(block, FreeIndexWord.bitmap(bitmap) | (word & FreeIndexWord.UNRECORDED));
  }

  /** A bitmap has all there is: it is kept where the next insertion needs it, else it goes. */
  private void fill(int block) {
    if (cursor.next(0) < block) {
      replace(block, FreeIndexWord.ALL_FREE);
    } else {
      if (FreeIndexWord.hasUnrecorded(cursor.word(block))) {
        cursor.publish(block, cursor.word(block) & ~FreeIndexWord.UNRECORDED);
      }
      keep(block);
    }
  }

  /** Lets a block keep a full bitmap, and the one before it no longer. */
  private void keep(int block) {
    MemorySegment root = allocator.root();
    int before = root.get(JAVA_INT, Superblock.BITMAP_KEEPER) - 1;
    root.set(JAVA_INT, Superblock.BITMAP_KEEPER, block + 1);
    if (before >= 0
        && before != block
        && FreeIndexWord.kind(cursor.word(before)) == FreeIndexWord.BITMAP
        && bitmaps.count(cursor.summary(before)) == SIZE) {
      replace(before, FreeIndexWord.ALL_FREE);
    }
  }

  /** Turns a bitmap with few free indices into an array. */
  private void shrink(int block) {
    long word = cursor.word(block);
    int count = bitmaps.count(cursor.summary(block));
    if (count > ArrayContainers.MAX / 2) {
      return;
    }
    long array = FreeIndexWord.NONE;
    if (count > 0) {
      try {
        array = arrays.empty(count);
      } catch (OutOfMemoryError e) {
        // It stays a bitmap, which harms nobody.
        return;
      }
      int low = -1;
      for (int i = count - 1; i >= 0; i--) {
        low = bitmaps.ceiling(FreeIndexWord.unit(word), cursor.summary(block), low + 1);
        arrays.put(FreeIndexWord.unit(array), i, low);
      }
    }
    replace(block, array | (word & FreeIndexWord.UNRECORDED));
  }

  /** Publishes a word and frees the memory that the one before it told of. */
  private void replace(int block, long word) {
    long before = cursor.word(block);
    int summary = cursor.summary(block);
    cursor.publish(block, word);
    known.forget(block);
    if (FreeIndexWord.kind(before) == FreeIndexWord.BITMAP) {
      allocator.free(FreeIndexWord.unit(before), BitmapContainers.UNITS);
      allocator.free(summary, BitmapContainers.SUMMARY_UNITS);
    } else if (FreeIndexWord.kind(before) == FreeIndexWord.ARRAY
        && FreeIndexWord.unit(before) != FreeIndexWord.unit(word)) {
      arrays.free(before);
    }
  }
}
