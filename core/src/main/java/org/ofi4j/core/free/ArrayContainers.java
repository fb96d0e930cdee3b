// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * A few free indices of a block, as a sorted array of their low 16 bits.
 *
 * <pre>
 *   0 ........... start ................... start + count ........... capacity
 *     room above |  highest ... lowest     |  room below                        2 bytes each
 * </pre>
 *
 * <p>The highest comes first, so that the lowest, which is taken next, goes by one new word. What a
 * word tells of never changes while the word stands: an addition at either end fills room, any
 * other one makes a new array. Memory comes in units of 32 elements, at most 1024.
 *
 * <p>Methods answer the word of the changed array; whoever publishes it gives the old memory back
 * if the new word is of other memory. One thread at a time changes; any thread may ask {@link
 * #contains} and finds out by itself whether the memory was the array's all the while.
 */
public record ArrayContainers(SlabAllocator allocator) {
  /** The most elements: beyond it a bitmap takes no more memory. */
  static final int MAX = 1024;

  /** Elements of a unit. */
  public static final int PER_UNIT = SlabAllocator.UNIT_BYTES / Short.BYTES;

  boolean contains(long word, int low) {
    int position = position(word, low);
    return position < FreeIndexWord.count(word) && at(word, position) == low;
  }

  int lowest(long word) {
    return at(word, FreeIndexWord.count(word) - 1);
  }

  /** The least element that is not below a number, or -1. */
  int ceiling(long word, int low) {
    int position = position(word, low);
    if (position < FreeIndexWord.count(word) && at(word, position) == low) {
      return low;
    }
    return position == 0 ? -1 : at(word, position - 1);
  }

  /** The end of the interval of elements that begins with one. */
  int endFrom(long word, int low) {
    int position = position(word, low);
    int least = 0;
    int most = position;
    while (least < most) {
      int middle = (least + most + 1) >>> 1;
      if (at(word, position - middle) == low + middle) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return low + least + 1;
  }

  /**
   * Where the interval of elements begins that ends before a number; the number if there is none.
   */
  int startBefore(long word, int end) {
    int position = position(word, end - 1);
    int least = 0;
    int most = FreeIndexWord.count(word) - position;
    while (least < most) {
      int middle = (least + most + 1) >>> 1;
      if (at(word, position + middle - 1) == end - middle) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return end - least;
  }

  /**
   * Adds an interval.
   *
   * @param word an array, or nothing
   * @param from the first number of the interval; none of them is in the array
   * @param to one more than the last; there are at most {@link #MAX} elements then
   * @return the word of an array with them
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  long with(long word, int from, int to) {
    int start = FreeIndexWord.start(word);
    int count = FreeIndexWord.count(word);
    int units = FreeIndexWord.units(word);
    int above = position(word, from);
    int added = to - from;
    int total = count + added;
    if (added == 1 && above == count && start + count < units * PER_UNIT) {
      put(FreeIndexWord.unit(word), start + count, from);
      return FreeIndexWord.array(FreeIndexWord.unit(word), units, start, total);
    }
    if (added == 1 && above == 0 && start > 0) {
      put(FreeIndexWord.unit(word), start - 1, from);
      return FreeIndexWord.array(FreeIndexWord.unit(word), units, start - 1, total);
    }
    int wanted = SlabAllocator.sizeOf((total + PER_UNIT - 1) / PER_UNIT);
    int room = wanted * PER_UNIT - total;
    // Who goes up or down is likely to go on that way.
    int first = above == count ? 0 : above == 0 ? room : room / 2;
    int unit = allocator.allocate(wanted);
    copy(word, 0, unit, first, above);
    for (int i = 0; i < added; i++) {
      put(unit, first + above + i, to - 1 - i);
    }
    copy(word, above, unit, first + above + added, count - above);
    return FreeIndexWord.array(unit, wanted, first, total);
  }

  /** Takes the elements below a number away. */
  long withoutBelow(long word, int end) {
    return shrunk(word, FreeIndexWord.start(word), position(word, end - 1));
  }

  /** Takes the elements from a number on away. */
  long withoutFrom(long word, int from) {
    int removed = position(word, from - 1);
    return shrunk(word, FreeIndexWord.start(word) + removed, FreeIndexWord.count(word) - removed);
  }

  /**
   * Makes an array.
   *
   * @return its word; {@link #put} fills it, from the highest
   * @throws OutOfMemoryError if memory ran out
   */
  long empty(int count) {
    int units = SlabAllocator.sizeOf((count + PER_UNIT - 1) / PER_UNIT);
    return FreeIndexWord.array(allocator.allocate(units), units, 0, count);
  }

  /** Stores an element that no published word tells of. */
  void put(int unit, int position, int low) {
    allocator.segment(unit).set(JAVA_SHORT, allocator.offset(unit) + 2L * position, (short) low);
  }

  /** The element at a position, 0 being the highest. */
  public int at(long word, int position) {
    int unit = FreeIndexWord.unit(word);
    long offset = allocator.offset(unit) + 2L * (FreeIndexWord.start(word) + position);
    return SegmentAccess.shortOpaque(allocator.segment(unit), offset) & 0xFFFF;
  }

  void free(long word) {
    allocator.free(FreeIndexWord.unit(word), FreeIndexWord.units(word));
  }

  /** The array with fewer elements, in less memory if much less is enough. */
  private long shrunk(long word, int start, int count) {
    if (count == 0) {
      return FreeIndexWord.NONE;
    }
    int units = FreeIndexWord.units(word);
    int unit = FreeIndexWord.unit(word);
    if (units > 1 && 4 * count <= units * PER_UNIT) {
      int less = SlabAllocator.sizeOf((2 * count + PER_UNIT - 1) / PER_UNIT);
      try {
        int smaller = allocator.allocate(less);
        int first = (less * PER_UNIT - count) / 2;
        copy(word, start - FreeIndexWord.start(word), smaller, first, count);
        return FreeIndexWord.array(smaller, less, first, count);
      } catch (OutOfMemoryError e) {
        // It keeps the memory that it has, which harms nobody.
        return FreeIndexWord.array(unit, units, start, count);
      }
    }
    return FreeIndexWord.array(unit, units, start, count);
  }

  /** The first position whose element is not above a number; the count if all are. */
  private int position(long word, int low) {
    int count = FreeIndexWord.count(word);
    if (count == 0) {
      return 0;
    }
    int unit = FreeIndexWord.unit(word);
    MemorySegment segment = allocator.segment(unit);
    long base = allocator.offset(unit) + 2L * FreeIndexWord.start(word);
    int from = 0;
    int to = count;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if ((SegmentAccess.shortOpaque(segment, base + 2L * middle) & 0xFFFF) > low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private void copy(long word, int position, int unit, int to, int count) {
    if (count > 0) {
      int source = FreeIndexWord.unit(word);
      MemorySegment.copy(
          allocator.segment(source),
          allocator.offset(source) + 2L * (FreeIndexWord.start(word) + position),
          allocator.segment(unit),
          allocator.offset(unit) + 2L * to,
          2L * count);
    }
  }
}
