// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Which indices are unused: the lowest one is the next to be used (AV-083), or, if indices are
 * never used again, the one behind the last. And which indices of a run are dead, as a run has no
 * slot that could say so.
 *
 * <pre>
 *   0 ........................................... end ........................... capacity
 *   used, or free and recorded in their blocks   |  unused, not recorded anywhere
 * </pre>
 *
 * <p>If indices are used again, the last one below the end is used, so a vector that lost all its
 * entries looks like a new one. What has a slot has a bit for its index, from the {@linkplain
 * #prepare beginning} on. A block of 65,536 indices of runs has bits as soon as one of them dies,
 * and none when all of them have.
 *
 * <p><b>Cost.</b> The index that comes next is found, taken and released by a few words, whatever
 * comes and goes, but for: a new bitmap, of at most 8 KiB; and the end that comes down over free
 * indices, which looks at each block that it passes, and at up to 1024 words of a bitmap.
 *
 * <p><b>Dying.</b> An index that has a slot dies by its slot, and {@link #release(int)} only
 * records it: it never fails. An index of a run has nothing but the record here: {@link
 * #releaseOfRun} is its death, and fails with nothing changed if there is no memory.
 *
 * <p><b>Generations.</b> What dies without a slot leaves no generation behind; so the block keeps a
 * number that the next generation of any of its indices must not be below.
 *
 * <p>For the one thread that writes; what any thread may ask is in {@link FreeIndexLookups}.
 */
public final class FreeIndices {
  private static final int BITS = FreeIndexDirectory.BLOCK_BITS;
  private static final int LOW = FreeIndexDirectory.BLOCK_SIZE - 1;

  private final MemorySegment root;
  private final FreeIndexCursor cursor;
  private final FreeIndexLookups lookups;
  private final FreeBlocks blocks;
  private final boolean reuse;
  private final int capacity;
  private final int[] one = new int[1];

  /**
   * All indices unused.
   *
   * @param reuse whether an index is used again
   */
  public FreeIndices(SlabAllocator allocator, boolean reuse, int capacity) {
    this.root = allocator.root();
    this.reuse = reuse;
    this.capacity = capacity;
    FreeIndexDirectory directory = new FreeIndexDirectory(allocator);
    this.cursor = new FreeIndexCursor(allocator, directory);
    FreeBitmaps bitmaps = new FreeBitmaps(allocator);
    this.lookups = new FreeIndexLookups(allocator, directory, bitmaps);
    this.blocks = new FreeBlocks(allocator, cursor, bitmaps);
  }

  /** What any thread may ask. */
  public FreeIndexLookups lookups() {
    return lookups;
  }

  /** One more than the largest index in use, or, if none is used again, than any so far. */
  public int end() {
    return root.get(JAVA_INT, Superblock.END);
  }

  /** How many indices below the end are free. */
  public long count() {
    return root.get(JAVA_LONG, Superblock.FREE_INDEX_COUNT);
  }

  /** Bytes that it takes to tell what is free. */
  public long usedBytes() {
    int leading = count() == 0 ? 0 : root.get(JAVA_INT, Superblock.FREE_INDEX_DIRECTORY_UNITS);
    return (long) (root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS) + leading)
        * SlabAllocator.UNIT_BYTES;
  }

  // Single indices, which have slots.

  /**
   * An unused index, which is to be used next, or -1 if there is none.
   *
   * @throws IllegalStateException if a free index is not below the end: memory is damaged
   */
  public int next() {
    int end = end();
    int lowest = reuse && count() > 0 ? blocks.firstFrom(0) : -1;
    if (lowest < 0) {
      return end < capacity ? end : -1;
    }
    if (lowest >= end) {
      throw new IllegalStateException("index " + lowest + " is free, but all end at " + end);
    }
    return lowest;
  }

  /**
   * Makes sure that an index can be taken and, having a slot, released; and all before it in its
   * block.
   *
   * @param index the index that {@link #next} gave or one that is taken with it, or an entry of a
   *     run that gets a slot
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepare(int index) {
    if (reuse) {
      blocks.prepare(index);
    } else {
      prepareForget(index);
    }
  }

  /**
   * Takes an index. Its slot says so already.
   *
   * @param index the index that {@link #next} gave, {@link #prepare prepared}
   */
  public void take(int index) {
    if (index == end()) {
      root.set(JAVA_INT, Superblock.END, index + 1);
    } else {
      blocks.take(index, index + 1);
      addCount(-1);
    }
  }

  /**
   * Records that an index is unused whose slot says so; does nothing if indices are not used again.
   *
   * @param index an index that was {@link #prepare prepared} before it got its slot
   */
  public void release(int index) {
    one[0] = index;
    release(one, 1);
  }

  /** As {@link #release(int)}, of many, each once. */
  public void release(int[] indices, int count) {
    if (!reuse) {
      return;
    }
    int last = end() - 1;
    boolean lastDied = false;
    for (int i = 0; i < count; ) {
      int first = indices[i++];
      int end = first + 1;
      while (i < count && indices[i] == end && (end & LOW) != 0 && end != last) {
        end++;
        i++;
      }
      if (first == last) {
        lastDied = true;
      } else {
        blocks.add(first, end);
      }
    }
    addCount(lastDied ? count - 1 : count);
    if (lastDied) {
      retreat(last);
    }
  }

  private void addCount(long change) {
    root.set(JAVA_LONG, Superblock.FREE_INDEX_COUNT, count() + change);
  }

  // Intervals, for runs.

  /**
   * Where the first free extent begins at or behind an index, whether or not indices are used
   * again: dead entries of runs.
   *
   * @param index 0 to the end
   * @return its first index; the end if there is none
   */
  public int recordedFrom(int index) {
    int found = count() == 0 || index >= end() ? -1 : blocks.firstFrom(index);
    return found < 0 ? end() : found;
  }

  /**
   * Where a free extent ends.
   *
   * @param first the first index of the interval
   * @return one more than its last index
   */
  public int freeEnd(int first) {
    int end = end();
    return first >= end ? capacity : blocks.endFrom(first, end);
  }

  /**
   * Makes sure that {@link #forget} can be called. Runs need nothing as long as they live.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepareForget(int index) {
    cursor.ensure(index >>> BITS);
  }

  /**
   * Makes sure that a run can take an interval.
   *
   * @param first the index that {@link #next} gave
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepareRun(int first, int count) {
    int last = first + count - 1;
    if (first < end() && (last & LOW) < LOW) {
      blocks.prepare(last);
    }
  }

  /**
   * Takes an interval.
   *
   * @param first the index that {@link #next} gave
   * @param count how many indices, all unused, {@link #prepareRun prepared}
   */
  public void takeRun(int first, int count) {
    int end = end();
    int stop = first + count;
    if (first >= end) {
      root.set(JAVA_INT, Superblock.END, stop);
      return;
    }
    blocks.take(first, stop);
    addCount(-count);
  }

  /**
   * Lets an entry of a run die and its index be free. If it is the last of all indices and those
   * are used again, it must have been cut off from its run already, with all from {@link
   * #endWithout} on; else this is its death.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void releaseOfRun(int index) {
    if (reuse && index == end() - 1) {
      retreat(index);
      return;
    }
    blocks.addOfRun(index);
    addCount(1);
  }

  /**
   * The end that there will be when everything from an index on is unused.
   *
   * @param index an index below the end
   * @return the index, or less if what is before it is free; the present end if indices are never
   *     used again
   */
  public int endWithout(int index) {
    return reuse ? blocks.startBefore(index) : end();
  }

  /** Whether all of the block of 65,536 of an index is free, the last of which died in a run. */
  public boolean isWhollyFree(int index) {
    return blocks.isWhollyFree(index);
  }

  // For who copies a store, in the order of these calls.

  /** Lets all indices below an end be in use. */
  public void restore(int end) {
    root.set(JAVA_INT, Superblock.END, end);
  }

  /**
   * Lets indices below the end be free.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  public void restoreFree(int from, int to) {
    blocks.restore(from, to);
    addCount(to - from);
  }

  /**
   * The generations of what was forgotten, which the other store must not fall behind; before any
   * entry.
   */
  public void copyGenerations(FreeIndices from) {
    for (int block = 0; block <= (capacity - 1) >>> BITS; block++) {
      long next = from.lookups.nextGeneration(block << BITS, 1);
      if (next != 0) {
        cursor.ensure(block);
        cursor.forget(block, next - 1);
      }
    }
  }

  // Generations, for the writer.

  /**
   * Remembers the generation of indices of one block that died, or are about to, and left nothing
   * else that tells of it.
   *
   * @param index an index, {@link #prepareForget prepared}, or of a block that was {@link #prepare
   *     prepared} or {@link #releaseOfRun released} from
   */
  public void forget(int index, long generation) {
    cursor.forget(index >>> BITS, generation);
  }

  /** Moves the end down over everything from an index on, and the free indices before it. */
  private void retreat(int index) {
    int end = endWithout(index);
    root.set(JAVA_INT, Superblock.END, end);
    blocks.forget(end, index);
    addCount(end - index);
  }
}
