package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Which partition of the reverse index a hash belongs to: by its {@code depth} highest bits.
 *
 * <pre>
 *   8 * i               word of the partition of hashes that begin with i    2^depth words
 *   8 * 2^depth + 4 * i   live cells (16) | removed cells (16)               2^depth counters
 * </pre>
 *
 * <p>A partition that goes by fewer bits has the same word in several places that follow each
 * other; its counter is at the first of them, for the writer alone.
 */
final class Directory {
  static final int ENTRY_BYTES = Long.BYTES + Integer.BYTES;

  private final MemorySegment segment;
  private final int depth;

  /**
   * A directory.
   *
   * @param segment the memory
   * @param depth how many bits of the hash it goes by
   */
  Directory(MemorySegment segment, int depth) {
    this.segment = segment;
    this.depth = depth;
  }

  MemorySegment segment() {
    return segment;
  }

  int depth() {
    return depth;
  }

  /** Bytes of a directory. */
  static long bytes(int depth) {
    return (long) ENTRY_BYTES << depth;
  }

  /** The place of a hash. */
  int place(long hash) {
    // Two steps, as a shift by 64 would be one by 0.
    return (int) (hash >>> 1 >>> (Long.SIZE - 1 - depth));
  }

  /** The word of a place; what it names is seen as it was when the word was stored, or newer. */
  long word(int place) {
    return SegmentAccess.longAcquire(segment, (long) place * Long.BYTES);
  }

  /** Stores a word in all places of its partition; what was written before is seen with it. */
  void publish(int place, long word) {
    int span = depth - PartitionWord.depth(word);
    int first = place >>> span << span;
    for (int i = first; i < first + (1 << span); i++) {
      SegmentAccess.longRelease(segment, (long) i * Long.BYTES, word);
    }
  }

  int live(int place, long word) {
    return counter(place, word) >>> Short.SIZE;
  }

  int removed(int place, long word) {
    return counter(place, word) & 0xFFFF;
  }

  void count(int place, long word, int live, int removed) {
    segment.set(JAVA_INT, counterOffset(place, word), live << Short.SIZE | removed);
  }

  /** Becomes a copy of a directory that goes by one bit less. */
  void spread(Directory narrow) {
    for (int i = 0; i < 1 << narrow.depth; i++) {
      long word = narrow.segment.get(JAVA_LONG, (long) i * Long.BYTES);
      int counter = narrow.segment.get(JAVA_INT, narrow.counters() + (long) i * Integer.BYTES);
      segment.set(JAVA_LONG, 2L * i * Long.BYTES, word);
      segment.set(JAVA_LONG, (2L * i + 1) * Long.BYTES, word);
      segment.set(JAVA_INT, counters() + 2L * i * Integer.BYTES, counter);
    }
  }

  private int counter(int place, long word) {
    return segment.get(JAVA_INT, counterOffset(place, word));
  }

  private long counterOffset(int place, long word) {
    int span = depth - PartitionWord.depth(word);
    return counters() + (long) (place >>> span << span) * Integer.BYTES;
  }

  private long counters() {
    return (long) Long.BYTES << depth;
  }
}
