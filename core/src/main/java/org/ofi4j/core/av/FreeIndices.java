package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

/**
 * Which index comes next: the lowest unused one (AV-083), or, if indices are never used again, the
 * one behind the last.
 *
 * <pre>
 *   0 ............................................ end ............................ capacity
 *   used, with holes: unused indices, a bit each  |  unused, not recorded anywhere
 *
 *   level 0   a bit for each index below end, set if it is a hole
 *   level n   a bit for each word of level n - 1, set if that word is not 0; up to six levels,
 *             as many as it takes to come to one word
 * </pre>
 *
 * <p>The last index below end is never a hole, so a vector that lost all its entries looks like a
 * new one. Taking and releasing walk at most a word of each level; trimming the end clears each
 * hole once. For one thread at a time.
 */
final class FreeIndices {
  private static final int LEVELS = 6;
  private static final int WORD_BITS = 6;

  /** 131,072 words, a megabyte. */
  private static final int MAX_CHUNK_BITS = 17;

  private final Chunks[] levels = new Chunks[LEVELS];
  private final boolean reuse;
  private final int capacity;
  private int height = 1;
  private int prepared;
  private int end;
  private int holes;

  /**
   * All indices unused.
   *
   * @param memory where memory comes from
   * @param reuse whether an index is used again
   * @param capacity how many indices there are
   */
  FreeIndices(MemorySource memory, boolean reuse, int capacity) {
    this.reuse = reuse;
    this.capacity = capacity;
    for (int i = 0; i < LEVELS; i++) {
      levels[i] = new Chunks(memory, Long.BYTES, i == 0 ? 3 : 0, MAX_CHUNK_BITS);
    }
  }

  /**
   * The index that {@link #take} is to take.
   *
   * @return an unused index, or -1 if there is none
   */
  int next() {
    if (holes == 0) {
      return end < capacity ? end : -1;
    }
    int word = 0;
    for (int level = height - 1; level >= 0; level--) {
      word = word << WORD_BITS | Long.numberOfTrailingZeros(get(level, word));
    }
    return word;
  }

  /**
   * Makes sure that an index can be taken and released.
   *
   * @param index the index
   * @throws OutOfMemoryError if memory ran out
   */
  void prepare(int index) {
    if (!reuse || index < prepared) {
      return;
    }
    for (int level = 0, word = index; level < height; level++) {
      word >>>= WORD_BITS;
      levels[level].ensure(word);
    }
    while (index >>> (height * WORD_BITS) != 0) {
      levels[height].ensure(index >>> ((height + 1) * WORD_BITS));
      // The level above begins with what the one word below it says.
      set(height, 0, get(height - 1, 0) == 0 ? 0 : 1);
      height++;
    }
    prepared = index + 1;
  }

  /**
   * Takes an index.
   *
   * @param index the index that {@link #next} gave, {@link #prepare prepared}
   */
  void take(int index) {
    if (index == end) {
      end++;
    } else {
      clear(index, 1L << index);
      holes--;
    }
  }

  /**
   * Gives an index back.
   *
   * @param index an index that was taken
   */
  void release(int index) {
    if (!reuse) {
      return;
    }
    if (index == end - 1) {
      end--;
      trim();
      return;
    }
    holes++;
    int word = index;
    for (int level = 0; level < height; level++) {
      long bit = 1L << word;
      word >>>= WORD_BITS;
      long before = get(level, word);
      set(level, word, before | bit);
      if (before != 0) {
        break;
      }
    }
  }

  /** One more than the largest index in use. */
  int end() {
    return end;
  }

  /** Bytes that hold the holes below the end. */
  long usedBytes() {
    long bytes = 0;
    if (reuse) {
      for (long words = end; words > 1; ) {
        words = (words + (1L << WORD_BITS) - 1) >>> WORD_BITS;
        bytes += words * Long.BYTES;
      }
    }
    return bytes;
  }

  /** Moves the end down over the holes before it. */
  private void trim() {
    while (holes > 0) {
      int last = end - 1;
      int above = Long.SIZE - 1 - (last & Long.SIZE - 1);
      long bits = get(0, last >>> WORD_BITS);
      int run = Long.numberOfLeadingZeros(~(bits << above));
      if (run == 0) {
        return;
      }
      long mask = (-1L >>> (Long.SIZE - run)) << (Long.SIZE - above - run);
      clear(last, mask);
      holes -= run;
      end -= run;
    }
  }

  /** Clears bits of the word that an index is in. */
  private void clear(int index, long mask) {
    int word = index >>> WORD_BITS;
    long rest = get(0, word) & ~mask;
    set(0, word, rest);
    for (int level = 1; level < height && rest == 0; level++) {
      long bit = 1L << word;
      word >>>= WORD_BITS;
      rest = get(level, word) & ~bit;
      set(level, word, rest);
    }
  }

  private long get(int level, int word) {
    return levels[level].segment(word).get(JAVA_LONG, levels[level].offset(word));
  }

  private void set(int level, int word, long bits) {
    levels[level].segment(word).set(JAVA_LONG, levels[level].offset(word), bits);
  }
}
