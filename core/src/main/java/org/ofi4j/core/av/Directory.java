package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Which partition a hash belongs to: by its {@code depth} highest bits.
 *
 * <pre>
 *   8 * i                 word of the partition of hashes that begin with i     2^depth words
 *   8 * 2^depth + 4 * i   live cells (16) | cells that may yet be used (16)     2^depth counters
 *
 *   what the root says of it:   63 ... 37   36 ... 32   31 ... 0
 *                                   0     |   depth   |  first unit
 * </pre>
 *
 * <p>A partition that goes by fewer bits has the same word in several places that follow each
 * other; its counter is at the first of them, for the writer alone.
 */
final class Directory {
  private final long rootWord;
  private final MemorySegment segment;
  private final long base;
  private final long counters;
  private final int depth;

  /**
   * The directory that a word in the root tells of.
   *
   * @param space where it is
   * @param rootWord the word
   */
  Directory(Space space, long rootWord) {
    this.rootWord = rootWord;
    this.depth = (int) (rootWord >>> Integer.SIZE);
    this.segment = space.segment((int) rootWord);
    this.base = space.offset((int) rootWord);
    this.counters = base + ((long) Long.BYTES << depth);
  }

  /** What the root says of a directory. */
  static long rootWord(int depth, int unit) {
    return (long) depth << Integer.SIZE | unit;
  }

  /** Bytes of a directory. */
  static int bytes(int depth) {
    return (Long.BYTES + Integer.BYTES) << depth;
  }

  /** Units of a directory. */
  static int units(int depth) {
    return (bytes(depth) + Space.UNIT_BYTES - 1) / Space.UNIT_BYTES;
  }

  long rootWord() {
    return rootWord;
  }

  int depth() {
    return depth;
  }

  /** The place of a hash. */
  int place(long hash) {
    return (int) (hash >>> -depth);
  }

  /** The word of a place; what it names is seen as it was when the word was stored, or newer. */
  long word(int place) {
    return SegmentAccess.longAcquire(segment, base + (long) place * Long.BYTES);
  }

  /** Stores a word in all places of its partition; what was written before is seen with it. */
  void publish(int place, long word) {
    int first = first(place, word);
    int last = first + (1 << (depth - PartitionWord.depth(word)));
    for (int i = first; i < last; i++) {
      SegmentAccess.longRelease(segment, base + (long) i * Long.BYTES, word);
    }
  }

  /** The first place of a partition. */
  int first(int place, long word) {
    int span = depth - PartitionWord.depth(word);
    return place >>> span << span;
  }

  int live(int place, long word) {
    return counter(place, word) >>> Short.SIZE;
  }

  int room(int place, long word) {
    return counter(place, word) & 0xFFFF;
  }

  void count(int place, long word, int live, int room) {
    segment.set(JAVA_INT, counterOffset(place, word), live << Short.SIZE | room);
  }

  /** Becomes a copy of a directory that goes by one bit less. */
  void spread(Directory narrow) {
    for (int i = 0; i < 1 << narrow.depth; i++) {
      long word = narrow.segment.get(JAVA_LONG, narrow.base + (long) i * Long.BYTES);
      int counter = narrow.segment.get(JAVA_INT, narrow.counters + (long) i * Integer.BYTES);
      segment.set(JAVA_LONG, base + 2L * i * Long.BYTES, word);
      segment.set(JAVA_LONG, base + (2L * i + 1) * Long.BYTES, word);
      segment.set(JAVA_INT, counters + 2L * i * Integer.BYTES, counter);
      segment.set(JAVA_INT, counters + (2L * i + 1) * Integer.BYTES, 0);
    }
  }

  private int counter(int place, long word) {
    return segment.get(JAVA_INT, counterOffset(place, word));
  }

  private long counterOffset(int place, long word) {
    return counters + (long) first(place, word) * Integer.BYTES;
  }
}
