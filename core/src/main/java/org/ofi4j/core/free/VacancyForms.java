// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * What is vacant in a block of 65,536 indices, whatever form its word has; {@link VacancyBlocks}
 * chooses the form. Numbers in a block are called low.
 */
final class VacancyForms {
  private static final int SIZE = VacancyBlocks.SIZE;

  private final SlabAllocator allocator;
  private final VacancyDirectory directory;
  private final VacantArrays arrays;
  private final VacantBitmaps bitmaps;

  VacancyForms(SlabAllocator allocator, VacancyDirectory directory) {
    this.allocator = allocator;
    this.directory = directory;
    this.arrays = new VacantArrays(allocator);
    this.bitmaps = new VacantBitmaps(allocator);
  }

  VacantArrays arrays() {
    return arrays;
  }

  VacantBitmaps bitmaps() {
    return bitmaps;
  }

  // For any thread.

  /**
   * Whether an index is vacant; lock-free.
   *
   * @param index any index
   * @return {@link Vacancies#VACANT}, {@link Vacancies#USED} or {@link Vacancies#BESIDE_STRAYS}, as
   *     it was at one moment
   */
  int look(int index) {
    int block = index >>> VacancyDirectory.BLOCK_BITS;
    while (true) {
      int leaf = directory.leaf(block);
      if (leaf == 0) {
        return Vacancies.USED;
      }
      MemorySegment segment = allocator.segment(leaf);
      long offset = directory.offset(leaf, block);
      int epoch = SegmentAccess.intAcquire(segment, offset + VacancyDirectory.EPOCH);
      int strays = SegmentAccess.intAcquire(segment, offset + VacancyDirectory.STRAYS);
      long word = SegmentAccess.longAcquire(segment, offset + VacancyDirectory.WORD);
      boolean vacant = contains(word, index & SIZE - 1);
      // All of it is read before the epoch again: if that is the same, the strays did not change
      // and the memory was that of the word.
      VarHandle.acquireFence();
      if (SegmentAccess.intOpaque(segment, offset + VacancyDirectory.EPOCH) == epoch) {
        return vacant ? Vacancies.VACANT : strays == 0 ? Vacancies.USED : Vacancies.BESIDE_STRAYS;
      }
    }
  }

  /**
   * Where the vacant indices end that begin with one, as far as one block goes; lock-free.
   *
   * @param index any index
   * @return that index if it is not vacant, else at most the end of its block; between them each
   *     index was vacant at a moment during the call
   */
  long vacantTo(int index) {
    int block = index >>> VacancyDirectory.BLOCK_BITS;
    int low = index & SIZE - 1;
    while (true) {
      int epoch = directory.epoch(block);
      long word = directory.wordForReader(block);
      long end = index - low + (contains(word, low) ? endFrom(word, low) : (long) low);
      VarHandle.acquireFence();
      if (directory.epoch(block) == epoch) {
        return end;
      }
    }
  }

  // For the writer.

  boolean contains(long word, int low) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> false;
      case VacancyWord.ARRAY -> arrays.contains(word, low);
      case VacancyWord.BITMAP -> bitmaps.contains(VacancyWord.unit(word), low);
      default -> true;
    };
  }

  int count(int block) {
    long word = directory.word(block);
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> 0;
      case VacancyWord.ARRAY -> VacancyWord.count(word);
      case VacancyWord.BITMAP -> bitmaps.count(directory.field(block, VacancyDirectory.SUMMARY));
      default -> SIZE;
    };
  }

  /** The least vacant low of a block that is not below a number, or -1. */
  int ceiling(int block, int low) {
    long word = directory.word(block);
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> -1;
      case VacancyWord.ARRAY -> arrays.ceiling(word, low);
      case VacancyWord.BITMAP ->
          bitmaps.ceiling(
              VacancyWord.unit(word), directory.field(block, VacancyDirectory.SUMMARY), low);
      default -> low;
    };
  }

  /** The least vacant low of a block that has one. */
  int lowest(int block) {
    long word = directory.word(block);
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.ARRAY -> arrays.lowest(word);
      case VacancyWord.BITMAP ->
          bitmaps.lowest(VacancyWord.unit(word), directory.field(block, VacancyDirectory.SUMMARY));
      default -> 0;
    };
  }

  /** The end of the vacant interval that begins with a low. */
  int endFrom(int block, int low) {
    return endFrom(directory.word(block), low);
  }

  private int endFrom(long word, int low) {
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.ARRAY -> arrays.endFrom(word, low);
      case VacancyWord.BITMAP -> bitmaps.endFrom(VacancyWord.unit(word), low);
      default -> SIZE;
    };
  }

  /** Where the vacant interval begins that ends before a low; that low if there is none. */
  int startBefore(int block, int end) {
    long word = directory.word(block);
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> end;
      case VacancyWord.ARRAY -> arrays.startBefore(word, end);
      case VacancyWord.BITMAP -> bitmaps.startBefore(VacancyWord.unit(word), end);
      default -> 0;
    };
  }
}
