// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Which partition a hash belongs to: by its {@code depth} highest bits.
 *
 * <pre>
 *   4 * i                 unit of the partition of hashes that begin with i     2^depth numbers
 *                         ({@link PartitionWord}); 0 if there are no such hashes
 *   4 * 2^depth + 4 * i   live cells (16) | cells that may yet be used (16)     2^depth counters
 *
 *   what the root says of it:   63 ... 37   36 ... 32   31 ... 0
 *                                   0     |   depth   |  first unit
 * </pre>
 *
 * <p>A partition that goes by fewer bits is in several places that follow each other; its counter
 * is at the first of them, for the writer alone.
 */
public final class Directory {
  private final long rootWord;
  private final MemorySegment segment;
  private final long base;
  private final long counters;
  private final int depth;

  /** The directory that a word in the root tells of. */
  public Directory(SlabAllocator allocator, long rootWord) {
    this.rootWord = rootWord;
    this.depth = depth(rootWord);
    this.segment = allocator.segment((int) rootWord);
    this.base = allocator.offset((int) rootWord);
    this.counters = base + ((long) Integer.BYTES << depth);
  }

  /** What the root says of a directory. */
  public static long rootWord(int depth, int unit) {
    return (long) depth << Integer.SIZE | unit;
  }

  /** How many bits of a hash the directory goes by that the root says this of. */
  static int depth(long rootWord) {
    return (int) (rootWord >>> Integer.SIZE);
  }

  /** Where the directory of a depth is named, in the block with those that there were. */
  public static long listOffset(int depth) {
    return (long) (depth - 1) * Integer.BYTES;
  }

  static int bytes(int depth) {
    return (2 * Integer.BYTES) << depth;
  }

  public static int units(int depth) {
    return (bytes(depth) + SlabAllocator.UNIT_BYTES - 1) / SlabAllocator.UNIT_BYTES;
  }

  long rootWord() {
    return rootWord;
  }

  public int depth() {
    return depth;
  }

  public int place(long hash) {
    return (int) (hash >>> -depth);
  }

  /** The first place of a partition that has a word. */
  public int first(long word) {
    return PartitionWord.prefix(word) << (depth - PartitionWord.depth(word));
  }

  /** The unit of the partition of a place, or 0; the partition is seen as it was then, or newer. */
  public int partition(int place) {
    return SegmentAccess.intAcquire(segment, base + (long) place * Integer.BYTES);
  }

  int partitionForWriter(int place) {
    return segment.get(JAVA_INT, base + (long) place * Integer.BYTES);
  }

  /** Puts a partition into places that follow each other; it is complete. */
  void publish(int first, int places, int partition) {
    for (int i = first; i < first + places; i++) {
      SegmentAccess.intRelease(segment, base + (long) i * Integer.BYTES, partition);
    }
  }

  public int live(int first) {
    return counter(first) >>> Short.SIZE;
  }

  public int room(int first) {
    return counter(first) & 0xFFFF;
  }

  void count(int first, int live, int room) {
    segment.set(JAVA_INT, counters + (long) first * Integer.BYTES, live << Short.SIZE | room);
  }

  /** One live cell more, in a cell that was free or, if it takes no room, removed. */
  void countOne(int first, boolean takesRoom) {
    int one = (1 << Short.SIZE) - (takesRoom ? 1 : 0);
    segment.set(JAVA_INT, counters + (long) first * Integer.BYTES, counter(first) + one);
  }

  /** One live cell more, in a cell that was free; false if there is no room for one. */
  boolean takeRoom(int first) {
    long offset = counters + (long) first * Integer.BYTES;
    int counter = segment.get(JAVA_INT, offset);
    if ((counter & 0xFFFF) == 0) {
      return false;
    }
    segment.set(JAVA_INT, offset, counter + (1 << Short.SIZE) - 1);
    return true;
  }

  /**
   * One live cell less, which may not be used again but by {@link #countOne}; how many are left.
   */
  int uncountOne(int first) {
    int counter = counter(first) - (1 << Short.SIZE);
    segment.set(JAVA_INT, counters + (long) first * Integer.BYTES, counter);
    return counter >>> Short.SIZE;
  }

  /** Becomes a copy of a directory that goes by one bit less. */
  void spread(Directory narrow) {
    for (int i = 0; i < 1 << narrow.depth; i++) {
      publish(2 * i, 2, narrow.segment.get(JAVA_INT, narrow.base + (long) i * Integer.BYTES));
      count(2 * i, narrow.live(i), narrow.room(i));
      count(2 * i + 1, 0, 0);
    }
  }

  private int counter(int first) {
    return segment.get(JAVA_INT, counters + (long) first * Integer.BYTES);
  }
}
