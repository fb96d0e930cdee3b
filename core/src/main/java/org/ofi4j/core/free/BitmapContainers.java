// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Many free indices of a block: a bit for each of its 65,536, in 128 units, and beside it for the
 * writer a summary, in three units.
 *
 * <pre>
 *   bitmap    8 * i   bit j: 64 * i + j is free                       1024 words
 *   summary   8 * i   bit j: word 64 * i + j of the bitmap is not 0     16 words
 *             128     bit i: word i of the summary is not 0             4 bytes
 *             132     how many are free                               4 bytes
 * </pre>
 *
 * <p>One thread at a time changes, each word of the bitmap by one store with release; any thread
 * may ask {@link #contains}. The summary can be made from the bitmap.
 */
public record BitmapContainers(SlabAllocator allocator) {
  public static final int UNITS = 128;
  public static final int SUMMARY_UNITS = 3;

  public static final int TOP = 128;
  public static final int COUNT = 132;

  public static final int WORDS = 1024;

  /** Whether an index is free; for any thread. */
  boolean contains(int bitmap, int low) {
    long bits = SegmentAccess.longAcquire(allocator.segment(bitmap), word(bitmap, low));
    return (bits >>> low & 1) != 0;
  }

  int count(int summary) {
    return allocator.segment(summary).get(JAVA_INT, allocator.offset(summary) + COUNT);
  }

  /** Makes everything free, in memory that no reader knows of. */
  void fill(int bitmap, int summary) {
    allocator
        .segment(bitmap)
        .asSlice(allocator.offset(bitmap), (long) UNITS * SlabAllocator.UNIT_BYTES)
        .fill((byte) -1);
    MemorySegment segment = allocator.segment(summary);
    long base = allocator.offset(summary);
    segment.asSlice(base, TOP).fill((byte) -1);
    segment.set(JAVA_INT, base + TOP, (1 << (TOP / Long.BYTES)) - 1);
    segment.set(JAVA_INT, base + COUNT, WORDS << 6);
  }

  /** Makes an interval of at least one index free that was not. */
  void set(int bitmap, int summary, int from, int to) {
    change(bitmap, summary, from, to, true);
  }

  /** Makes an interval of at least one index not free, whatever is free of it. */
  void clear(int bitmap, int summary, int from, int to) {
    change(bitmap, summary, from, to, false);
  }

  int lowest(int bitmap, int summary) {
    MemorySegment segment = allocator.segment(summary);
    long base = allocator.offset(summary);
    int top = Integer.numberOfTrailingZeros(segment.get(JAVA_INT, base + TOP));
    long words = segment.get(JAVA_LONG, base + 8L * top);
    int low = (top << 6 | Long.numberOfTrailingZeros(words)) << 6;
    return low | Long.numberOfTrailingZeros(bits(bitmap, low));
  }

  /** The least free index that is not below a number, or -1. */
  int ceiling(int bitmap, int summary, int low) {
    long here = bits(bitmap, low) & -1L << low;
    if (here != 0) {
      return (low & -64) | Long.numberOfTrailingZeros(here);
    }
    MemorySegment segment = allocator.segment(summary);
    long base = allocator.offset(summary);
    int next = (low >>> 6) + 1;
    if (next == WORDS) {
      return -1;
    }
    int top = next >>> 6;
    long words = segment.get(JAVA_LONG, base + 8L * top) & -1L << next;
    if (words == 0) {
      // Two steps: there may be 32 bits to shift by where only 16 are used.
      int tops = segment.get(JAVA_INT, base + TOP) & -2 << top;
      if (tops == 0) {
        return -1;
      }
      top = Integer.numberOfTrailingZeros(tops);
      words = segment.get(JAVA_LONG, base + 8L * top);
    }
    int word = (top << 6 | Long.numberOfTrailingZeros(words)) << 6;
    return word | Long.numberOfTrailingZeros(bits(bitmap, word));
  }

  /** The end of the interval of free indices that begins with one. */
  int endFrom(int bitmap, int low) {
    int at = low;
    while (at < WORDS << 6) {
      int ones = Long.numberOfTrailingZeros(~(bits(bitmap, at) >>> at));
      int room = 64 - (at & 63);
      if (ones < room) {
        return at + ones;
      }
      at += room;
    }
    return at;
  }

  /** Where the interval of free indices begins that ends before a number; it if there is none. */
  int startBefore(int bitmap, int end) {
    int at = end;
    while (at > 0) {
      int last = at - 1;
      int room = (last & 63) + 1;
      int ones = Long.numberOfLeadingZeros(~(bits(bitmap, last) << (64 - room)));
      if (ones < room) {
        return at - ones;
      }
      at -= room;
    }
    return at;
  }

  /** Makes one index free that was not; how many are free now. */
  int set(int bitmap, int summary, int low) {
    MemorySegment segment = allocator.segment(bitmap);
    long offset = word(bitmap, low);
    long before = segment.get(JAVA_LONG, offset);
    SegmentAccess.longRelease(segment, offset, before | 1L << low);
    MemorySegment above = allocator.segment(summary);
    long base = allocator.offset(summary);
    if (before == 0) {
      summarise(above, base, low >>> 6, true);
    }
    int count = above.get(JAVA_INT, base + COUNT) + 1;
    above.set(JAVA_INT, base + COUNT, count);
    return count;
  }

  MemorySegment memory(int bitmap) {
    return allocator
        .segment(bitmap)
        .asSlice(allocator.offset(bitmap), (long) UNITS * SlabAllocator.UNIT_BYTES);
  }

  MemorySegment memoryOfSummary(int summary) {
    long bytes = (long) SUMMARY_UNITS * SlabAllocator.UNIT_BYTES;
    return allocator.segment(summary).asSlice(allocator.offset(summary), bytes);
  }

  /**
   * Makes one index free that was not, by a plain store: a fence keeps it behind what was stored
   * before.
   *
   * @return how many are free now
   */
  static int add(MemorySegment bitmap, MemorySegment summary, int low) {
    long offset = (long) (low >>> 6) * Long.BYTES;
    long before = bitmap.get(JAVA_LONG, offset);
    bitmap.set(JAVA_LONG, offset, before | 1L << low);
    if (before == 0) {
      summarise(summary, 0, low >>> 6, true);
    }
    int count = summary.get(JAVA_INT, COUNT) + 1;
    summary.set(JAVA_INT, COUNT, count);
    return count;
  }

  private void change(int bitmap, int summary, int from, int to, boolean free) {
    MemorySegment segment = allocator.segment(summary);
    long base = allocator.offset(summary);
    int change = 0;
    for (int at = from; at < to; at = (at & -64) + 64) {
      long mask = -1L << at;
      if (to < (at & -64) + 64) {
        mask &= ~(-1L << to);
      }
      long before = bits(bitmap, at);
      long after = free ? before | mask : before & ~mask;
      SegmentAccess.longRelease(allocator.segment(bitmap), word(bitmap, at), after);
      change += Long.bitCount(after) - Long.bitCount(before);
      if ((before == 0) != (after == 0)) {
        summarise(segment, base, at >>> 6, after != 0);
      }
    }
    segment.set(JAVA_INT, base + COUNT, segment.get(JAVA_INT, base + COUNT) + change);
  }

  /** Where a summary has the bit of a word of the bitmap, in a word whose low bits say which. */
  public static long inSummary(int word) {
    return (long) (word >>> 6) * Long.BYTES;
  }

  private static void summarise(MemorySegment segment, long base, int word, boolean any) {
    int top = word >>> 6;
    long at = base + inSummary(word);
    long before = segment.get(JAVA_LONG, at);
    long after = any ? before | 1L << word : before & ~(1L << word);
    segment.set(JAVA_LONG, at, after);
    int tops = segment.get(JAVA_INT, base + TOP);
    segment.set(JAVA_INT, base + TOP, after != 0 ? tops | 1 << top : tops & ~(1 << top));
  }

  private long bits(int bitmap, int low) {
    return allocator.segment(bitmap).get(JAVA_LONG, word(bitmap, low));
  }

  private long word(int bitmap, int low) {
    return allocator.offset(bitmap) + (long) (low >>> 6) * Long.BYTES;
  }
}
