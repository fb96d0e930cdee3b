// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import org.ofi4j.core.memory.SlabAllocator;

/**
 * What is vacant in a block of 65,536 indices, whatever form its word has; {@link VacancyBlocks}
 * chooses the form. Numbers in a block are called low. What takes a summary is for the writer, all
 * else for any thread, which finds out by the epoch whether the memory was that of the word.
 */
final class VacancyForms {
  private static final int SIZE = VacancyBlocks.SIZE;

  private final VacantArrays arrays;
  private final VacantBitmaps bitmaps;

  VacancyForms(SlabAllocator allocator) {
    this.arrays = new VacantArrays(allocator);
    this.bitmaps = new VacantBitmaps(allocator);
  }

  VacantArrays arrays() {
    return arrays;
  }

  VacantBitmaps bitmaps() {
    return bitmaps;
  }

  /** Whether a low is vacant. */
  boolean contains(long word, int low) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> false;
      case VacancyWord.ARRAY -> arrays.contains(word, low);
      case VacancyWord.BITMAP -> bitmaps.contains(VacancyWord.unit(word), low);
      default -> true;
    };
  }

  /**
   * How many lows are vacant.
   *
   * @param word the word of a block
   * @param summary the unit of the summary, if there is a bitmap
   */
  int count(long word, int summary) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> 0;
      case VacancyWord.ARRAY -> VacancyWord.count(word);
      case VacancyWord.BITMAP -> bitmaps.count(summary);
      default -> SIZE;
    };
  }

  /** The least vacant low of a block that is not below a number, or -1. */
  int ceiling(long word, int summary, int low) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> -1;
      case VacancyWord.ARRAY -> arrays.ceiling(word, low);
      case VacancyWord.BITMAP -> bitmaps.ceiling(VacancyWord.unit(word), summary, low);
      default -> low;
    };
  }

  /** The least vacant low of a block that has one. */
  int lowest(long word, int summary) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.ARRAY -> arrays.lowest(word);
      case VacancyWord.BITMAP -> bitmaps.lowest(VacancyWord.unit(word), summary);
      default -> 0;
    };
  }

  /** The end of the vacant interval that begins with a low. */
  int endFrom(long word, int low) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.ARRAY -> arrays.endFrom(word, low);
      case VacancyWord.BITMAP -> bitmaps.endFrom(VacancyWord.unit(word), low);
      default -> SIZE;
    };
  }

  /** Where the vacant interval begins that ends before a low; that low if there is none. */
  int startBefore(long word, int end) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> end;
      case VacancyWord.ARRAY -> arrays.startBefore(word, end);
      case VacancyWord.BITMAP -> bitmaps.startBefore(VacancyWord.unit(word), end);
      default -> 0;
    };
  }
}
