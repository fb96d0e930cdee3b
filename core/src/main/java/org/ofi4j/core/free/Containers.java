// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import org.ofi4j.core.memory.SlabAllocator;

/**
 * What is free in a block of 65,536 indices, whatever form its word has; {@link FreeIndexBlocks}
 * chooses the form. Numbers in a block are called low. What takes a summary is for the writer, all
 * else for any thread, which finds out by the epoch whether the memory was that of the word.
 */
final class Containers {
  private static final int SIZE = FreeIndexDirectory.BLOCK_SIZE;

  private final ArrayContainers arrays;
  private final BitmapContainers bitmaps;

  Containers(SlabAllocator allocator) {
    this.arrays = new ArrayContainers(allocator);
    this.bitmaps = new BitmapContainers(allocator);
  }

  ArrayContainers arrays() {
    return arrays;
  }

  BitmapContainers bitmaps() {
    return bitmaps;
  }

  boolean contains(long word, int low) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.NONE -> false;
      case FreeIndexWord.ARRAY -> arrays.contains(word, low);
      case FreeIndexWord.BITMAP -> bitmaps.contains(FreeIndexWord.unit(word), low);
      default -> true;
    };
  }

  /** How many lows are free; {@code summary} is the unit of the summary, if there is a bitmap. */
  int count(long word, int summary) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.NONE -> 0;
      case FreeIndexWord.ARRAY -> FreeIndexWord.count(word);
      case FreeIndexWord.BITMAP -> bitmaps.count(summary);
      default -> SIZE;
    };
  }

  /** The least free low of a block that is not below a number, or -1. */
  int ceiling(long word, int summary, int low) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.NONE -> -1;
      case FreeIndexWord.ARRAY -> arrays.ceiling(word, low);
      case FreeIndexWord.BITMAP -> bitmaps.ceiling(FreeIndexWord.unit(word), summary, low);
      default -> low;
    };
  }

  /** The least free low of a block that has one. */
  int lowest(long word, int summary) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.ARRAY -> arrays.lowest(word);
      case FreeIndexWord.BITMAP -> bitmaps.lowest(FreeIndexWord.unit(word), summary);
      default -> 0;
    };
  }

  /** The end of the free extent that begins with a low. */
  int endFrom(long word, int low) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.ARRAY -> arrays.endFrom(word, low);
      case FreeIndexWord.BITMAP -> bitmaps.endFrom(FreeIndexWord.unit(word), low);
      default -> SIZE;
    };
  }

  /** Where the free extent begins that ends before a low; that low if there is none. */
  int startBefore(long word, int end) {
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.NONE -> end;
      case FreeIndexWord.ARRAY -> arrays.startBefore(word, end);
      case FreeIndexWord.BITMAP -> bitmaps.startBefore(FreeIndexWord.unit(word), end);
      default -> 0;
    };
  }
}
