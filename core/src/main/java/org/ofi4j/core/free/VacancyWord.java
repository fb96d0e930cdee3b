// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

/**
 * What is vacant in a block of 65,536 indices, in one word, so that one store replaces a
 * representation by another.
 *
 * <pre>
 *   63 62   61    60   59 ... 54   53 ... 43   42 ... 32   31   30 ................ 0
 *   kind | lost | 0 |   units    |  start    |  count   | 0  | first unit
 *
 *   0 nothing is vacant; all else is 0
 *   1 a sorted array, {@link VacantArrays}: units of its memory, where it starts, how long it is
 *   2 a bit for each index, {@link VacantBitmaps}: units, start and count are 0
 *   3 everything is vacant; all else is 0
 *
 *   lost   some vacancies could not be recorded for want of memory; their slots tell of them
 * </pre>
 */
public final class VacancyWord {
  public static final int NONE = 0;
  public static final int ARRAY = 1;
  public static final int BITMAP = 2;
  public static final int ALL = 3;

  /** The word of a block in which everything is vacant. */
  public static final long ALL_VACANT = (long) ALL << 62;

  public static final long LOST = 1L << 61;

  private static final int KIND_SHIFT = 62;
  private static final int UNITS_SHIFT = 54;
  private static final int UNITS_MASK = (1 << 6) - 1;
  private static final int START_SHIFT = 43;
  private static final int COUNT_SHIFT = 32;
  private static final int POSITION_MASK = (1 << 11) - 1;

  private VacancyWord() {}

  /** The word of an array; an empty one needs no memory and is nothing. */
  static long array(int unit, int units, int start, int count) {
    return (long) ARRAY << KIND_SHIFT
        | (long) units << UNITS_SHIFT
        | (long) start << START_SHIFT
        | (long) count << COUNT_SHIFT
        | unit;
  }

  /** The word of a bitmap. */
  public static long bitmap(int unit) {
    return (long) BITMAP << KIND_SHIFT | unit;
  }

  public static int kind(long word) {
    return (int) (word >>> KIND_SHIFT);
  }

  public static boolean isLost(long word) {
    return (word & LOST) != 0;
  }

  public static int units(long word) {
    return (int) (word >>> UNITS_SHIFT) & UNITS_MASK;
  }

  /** Units of all the memory that there is for a word. */
  static int memory(long word) {
    return kind(word) == BITMAP ? VacantBitmaps.UNITS + VacantBitmaps.SUMMARY_UNITS : units(word);
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
