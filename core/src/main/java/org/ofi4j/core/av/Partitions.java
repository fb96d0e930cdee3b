package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Builds partitions of the reverse index anew: larger, smaller, free of removed cells, or as two
 * halves. The new ones are complete before the directory names them; the old block is given back
 * after.
 *
 * <p>A partition is at most 4/5 full, removed cells included, so that a search ends soon. A small
 * one grows to where it is 3/5 full; one of the largest size splits into two that are 2/5 full. So
 * an entry takes 5 to 10 bytes here. For one thread at a time.
 */
final class Partitions {
  /** Live cells from which on the largest partition splits rather than be cleaned. */
  private static final int SPLIT = 7 * 4096 / 10;

  /** A hint beyond this makes no difference: it would only make the first directory large. */
  private static final long MAX_EXPECTED = 1 << 24;

  private final Blocks blocks;
  private final Entries entries;
  private final long perPartition;
  private final int firstDepth;
  private final int expected;

  private int[] indices = {};
  private long[] hashes = {};
  private int gathered;
  private int version;

  /**
   * Partitions of a new index.
   *
   * @param blocks where their memory comes from
   * @param entries the slots that cells refer to
   * @param expected how many addresses are likely
   */
  Partitions(Blocks blocks, Entries entries, long expected) {
    this.blocks = blocks;
    this.entries = entries;
    long capped = Math.clamp(expected, 0, MAX_EXPECTED);
    int depth = 0;
    while (capped >>> depth > SPLIT * 3L / 4) {
      depth++;
    }
    this.firstDepth = depth;
    this.perPartition = capped >>> depth;
    this.expected = (int) capped;
  }

  /** The depth of a directory that suits the expected number. */
  int firstDepth() {
    return firstDepth;
  }

  /** How many cells of a partition may be in use. */
  static int limit(int sizeClass) {
    return Blocks.cells(sizeClass) * 4 / 5;
  }

  /** Whether so many live cells are too many for one partition. */
  static boolean mustSplit(int live) {
    return live > SPLIT;
  }

  /**
   * Builds a partition in a new block.
   *
   * @param directory the directory
   * @param place a place of the partition
   * @param live how many live cells it must have room for
   * @param index an index that its cells must be able to hold
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void rebuild(Directory directory, int place, int live, int index) {
    long word = directory.word(place);
    boolean first = PartitionWord.unit(word) == 0;
    int indexBits =
        first
            ? PartitionWord.bitsFor(Math.max(index, expected))
            : Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(index));
    gather(word);
    int count = gathered;
    int sizeClass = sizeClassFor((int) Math.max(live, perPartition));
    int block = blocks.take(sizeClass);
    for (int i = 0; i < count; i++) {
      fill(block, sizeClass, hashes[i], PartitionWord.cell(hashes[i], indices[i], indexBits));
    }
    int depth = PartitionWord.depth(word);
    directory.publish(place, PartitionWord.of(nextVersion(), depth, indexBits, sizeClass, block));
    directory.count(place, word, count, 0);
    retire(word);
  }

  /**
   * Builds two partitions from one, by one more bit of the hash.
   *
   * @param directory a directory deeper than the partition
   * @param hash a hash of the partition
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void split(Directory directory, long hash) {
    int place = directory.place(hash);
    long word = directory.word(place);
    int depth = PartitionWord.depth(word);
    int indexBits = PartitionWord.indexBits(word);
    gather(word);
    int[] counts = new int[2];
    for (int i = 0; i < gathered; i++) {
      counts[half(hashes[i], depth)]++;
    }
    // Both are as large as the whole was: so splitting gives back blocks of the size it takes.
    int sizeClass = Blocks.SIZE_CLASSES - 1;
    int[] halves = new int[2];
    halves[0] = blocks.take(sizeClass);
    try {
      halves[1] = blocks.take(sizeClass);
    } catch (OutOfMemoryError e) {
      blocks.give(halves[0], sizeClass);
      throw e;
    }
    for (int i = 0; i < gathered; i++) {
      int half = half(hashes[i], depth);
      int cell = PartitionWord.cell(hashes[i], indices[i], indexBits);
      fill(halves[half], sizeClass, hashes[i], cell);
    }
    int span = directory.depth() - depth;
    int first = place >>> span << span;
    for (int half = 0; half < 2; half++) {
      int at = first + half * (1 << (span - 1));
      long built = PartitionWord.of(nextVersion(), depth + 1, indexBits, sizeClass, halves[half]);
      directory.publish(at, built);
      directory.count(at, built, counts[half], 0);
    }
    retire(word);
  }

  /**
   * Makes a partition smaller that has become too large for its entries.
   *
   * @param directory the directory
   * @param place a place of the partition
   * @param live its live cells
   */
  void shrink(Directory directory, int place, int live) {
    long word = directory.word(place);
    int cells = Blocks.cells(PartitionWord.sizeClass(word));
    int room = (int) Math.max(live, perPartition);
    if (live == 0) {
      clear(directory, place);
    } else if (live < cells / 8 && Blocks.cells(sizeClassFor(room)) <= cells / 2) {
      try {
        rebuild(directory, place, room, 0);
      } catch (OutOfMemoryError e) {
        // It stays as large as it is, which harms nobody.
        return;
      }
    }
  }

  /** Leaves all partitions without block. */
  void clearAll(Directory directory) {
    for (int i = 0; i < 1 << directory.depth(); i++) {
      if (PartitionWord.unit(directory.word(i)) != 0) {
        clear(directory, i);
      }
    }
  }

  /** Leaves a partition without block. */
  void clear(Directory directory, int place) {
    long word = directory.word(place);
    directory.publish(place, PartitionWord.empty(nextVersion(), PartitionWord.depth(word)));
    directory.count(place, word, 0, 0);
    retire(word);
  }

  /** The smallest block that is at most 3/5 full; the largest one may be fuller. */
  private static int sizeClassFor(int live) {
    int sizeClass = 0;
    while (sizeClass < Blocks.SIZE_CLASSES - 1 && Blocks.cells(sizeClass) * 3 / 5 < live) {
      sizeClass++;
    }
    return sizeClass;
  }

  /** Collects the entries of a partition with their hashes. */
  private void gather(long word) {
    gathered = 0;
    int unit = PartitionWord.unit(word);
    if (unit == 0) {
      return;
    }
    MemorySegment block = blocks.segment(unit);
    long base = blocks.offset(unit);
    int cells = Blocks.cells(PartitionWord.sizeClass(word));
    if (indices.length < cells) {
      indices = new int[cells];
      hashes = new long[cells];
    }
    int mask = -1 >>> (Integer.SIZE - PartitionWord.indexBits(word));
    for (int i = 0; i < cells; i++) {
      int field = block.get(JAVA_INT, base + 4L * i) & mask;
      if (field != 0) {
        indices[gathered++] = field - 1;
      }
    }
    for (int i = 0; i < gathered; i++) {
      hashes[i] = entries.hash(indices[i]);
    }
  }

  private void fill(int unit, int sizeClass, long hash, int cell) {
    MemorySegment block = blocks.segment(unit);
    long base = blocks.offset(unit);
    int cells = Blocks.cells(sizeClass);
    int at = PartitionWord.home(hash, cells);
    while (block.get(JAVA_INT, base + 4L * at) != 0) {
      at = at + 1 == cells ? 0 : at + 1;
    }
    block.set(JAVA_INT, base + 4L * at, cell);
  }

  private void retire(long word) {
    if (PartitionWord.unit(word) != 0) {
      // The directory names the new partition before the old block is used again.
      VarHandle.storeStoreFence();
      blocks.give(PartitionWord.unit(word), PartitionWord.sizeClass(word));
    }
  }

  private static int half(long hash, int depth) {
    return (int) (hash >>> (Long.SIZE - 1 - depth)) & 1;
  }

  private int nextVersion() {
    version = version + 1 & (1 << 20) - 1;
    return version;
  }
}
