package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Elements of one size that are handed out and taken back, named by number. What is taken back is
 * handed out first, so that coming and going takes no more memory than the most at one time.
 *
 * <p>Free elements form a list through four bytes of each (number of the next one plus 1); all
 * their other bytes stay as they were left. For one thread at a time, except {@link #segment} and
 * {@link #offset}.
 */
final class Pool {
  private static final int CHUNK_BYTES = 1 << 20;

  private final Chunks elements;
  private final int linkOffset;
  private int free;
  private int fresh;
  private int used;

  /**
   * An empty pool.
   *
   * @param memory where memory comes from
   * @param stride bytes of an element, a multiple of 8
   * @param linkOffset which four bytes of a free element hold the list
   */
  Pool(MemorySource memory, int stride, int linkOffset) {
    int maxBits = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(CHUNK_BYTES / stride);
    this.elements = new Chunks(memory, stride, Math.min(4, maxBits), maxBits);
    this.linkOffset = linkOffset;
  }

  /**
   * Hands out an element.
   *
   * @return its number
   * @throws OutOfMemoryError if memory ran out
   */
  int take() {
    int number;
    if (free != 0) {
      number = free - 1;
      free = elements.segment(number).get(ValueLayout.JAVA_INT, offset(number) + linkOffset);
    } else {
      elements.ensure(fresh);
      number = fresh++;
    }
    used++;
    return number;
  }

  /**
   * Takes an element back.
   *
   * @param number its number
   */
  void give(int number) {
    elements.segment(number).set(ValueLayout.JAVA_INT, offset(number) + linkOffset, free);
    free = number + 1;
    used--;
  }

  MemorySegment segment(int number) {
    return elements.segment(number);
  }

  long offset(int number) {
    return elements.offset(number);
  }

  /** Bytes of the elements that are out. */
  long usedBytes() {
    return (long) used * elements.stride();
  }
}
