// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * What is free in a block of 65,536 indices, as one word tells, so that one store replaces all of
 * it. Numbers in a block are called low.
 *
 * <pre>
 *   63    62 ... 49   48 ..... 32   31   30 .............. 0
 *   all |     0     |    room     | 0  | unit of the bitmap
 *
 *   all      everything is free; all else is 0
 *   room     how many lows the bitmap has a bit for, 1024 to 65,536, a power of two;
 *            0 if there is no bitmap, and nothing is free
 *
 *   bitmap   8 * i   bit j: 64 * i + j is free
 * </pre>
 *
 * <p>For any thread, which finds out by the epoch whether the memory was that of the word. One
 * thread at a time changes a bitmap, each word by one store with release.
 */
public record FreeBitmaps(SlabAllocator allocator) {
  /** The word of a block in which nothing is free, and for which there is no bitmap. */
  static final long NONE = 0;

  /** The word of a block in which everything is free. */
  public static final long ALL = Long.MIN_VALUE;

  static final int LEAST_ROOM = 1 << FreeIndexDirectory.MARK_BITS;

  private static final int SIZE = FreeIndexDirectory.BLOCK_SIZE;
  private static final int ROOM_MASK = 2 * SIZE - 1;
  private static final int LOWS_PER_UNIT = SlabAllocator.UNIT_BYTES * Byte.SIZE;

  static long word(int unit, int room) {
    return (long) room << Integer.SIZE | unit;
  }

  public static boolean isAll(long word) {
    return word < 0;
  }

  /** Whether a word is that of a bitmap, as far as itself tells. */
  public static boolean isBitmap(long word) {
    int room = room(word);
    return word == word(unit(word), room)
        && room >= LEAST_ROOM
        && room <= SIZE
        && Integer.bitCount(room) == 1;
  }

  public static int unit(long word) {
    return (int) word;
  }

  public static int room(long word) {
    return (int) (word >>> Integer.SIZE) & ROOM_MASK;
  }

  /** Units of the bitmap of a word. */
  public static int units(long word) {
    return room(word) / LOWS_PER_UNIT;
  }

  boolean contains(long word, int low) {
    return isAll(word)
        || (low < room(word)
            && (SegmentAccess.longAcquire(allocator.segment(unit(word)), place(word, low)) >>> low
                    & 1)
                != 0);
  }

  /** The end of the free extent that begins with a low; that low if it is not free. */
  int endFrom(long word, int low) {
    if (isAll(word)) {
      return SIZE;
    }
    int at = low;
    while (at < room(word)) {
      int ones = Long.numberOfTrailingZeros(~(bits(word, at) >>> at));
      int left = Long.SIZE - (at & 63);
      if (ones < left) {
        return at + ones;
      }
      at += left;
    }
    return at;
  }

  /** Where the free extent begins that ends before a low; that low if there is none. */
  int startBefore(long word, int end) {
    if (isAll(word)) {
      return 0;
    }
    int at = end;
    while (at > 0 && at <= room(word)) {
      int last = at - 1;
      int left = (last & 63) + 1;
      int ones = Long.numberOfLeadingZeros(~(bits(word, last) << (Long.SIZE - left)));
      if (ones < left) {
        return at - ones;
      }
      at -= left;
    }
    return at;
  }

  /** The word of a bitmap that has the bit of a low, for which there is room. */
  public long bits(long word, int low) {
    return allocator.segment(unit(word)).get(JAVA_LONG, place(word, low));
  }

  void store(long word, int low, long bits) {
    SegmentAccess.longRelease(allocator.segment(unit(word)), place(word, low), bits);
  }

  private long place(long word, int low) {
    return allocator.offset(unit(word)) + (long) (low >>> 6) * Long.BYTES;
  }
}
