// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

/**
 * What is free in a block of 65,536 indices, in one word, so that one store replaces a
 * representation by another.
 *
 * <pre>
 *   63 62       61       60   59 ... 54   53 ... 43   42 ... 32   31   30 ................ 0
 *   kind | unrecorded | 0 |   units    |  start    |  count   | 0  | first unit
 *
 *   0 nothing is free; all else is 0
 *   1 a sorted array, {@link ArrayContainers}: units of its memory, where it starts, how long it is
 *   2 a bit for each index, {@link BitmapContainers}: units, start and count are 0
 *   3 everything is free; all else is 0
 *
 *   unrecorded   some free indices have no record here for want of memory; their slots tell of them
 * </pre>
 */
public final class FreeIndexWord {
  public static final int NONE = 0;
  public static final int ARRAY = 1;
  public static final int BITMAP = 2;
  public static final int ALL = 3;

  public static final long ALL_FREE = (long) ALL << 62;

  public static final long UNRECORDED = 1L << 61;

  private static final int KIND_SHIFT = 62;
  private static final int UNITS_SHIFT = 54;
  private static final int UNITS_MASK = (1 << 6) - 1;
  private static final int START_SHIFT = 43;
  private static final int COUNT_SHIFT = 32;
  private static final int POSITION_MASK = (1 << 11) - 1;

  private FreeIndexWord() {}

  /** The word of an array; an empty one needs no memory and is nothing. */
  static long array(int unit, int units, int start, int count) {
    return (long) ARRAY << KIND_SHIFT
        | (long) units << UNITS_SHIFT
        | (long) start << START_SHIFT
        | (long) count << COUNT_SHIFT
        | unit;
  }

  public static long bitmap(int unit) {
    return (long) BITMAP << KIND_SHIFT | unit;
  }

  public static int kind(long word) {
    return (int) (word >>> KIND_SHIFT);
  }

  public static boolean hasUnrecorded(long word) {
    return (word & UNRECORDED) != 0;
  }

  public static int units(long word) {
    return (int) (word >>> UNITS_SHIFT) & UNITS_MASK;
  }

  /** Units of all the memory that there is for a word. */
  static int memory(long word) {
    return kind(word) == BITMAP
        ? BitmapContainers.UNITS + BitmapContainers.SUMMARY_UNITS
        : units(word);
  }

  public static int start(long word) {
    return (int) (word >>> START_SHIFT) & POSITION_MASK;
  }

  public static int count(long word) {
    return (int) (word >>> COUNT_SHIFT) & POSITION_MASK;
  }

  public static int unit(long word) {
    return (int) word;
  }
}
