package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Builds partitions of {@link HashCells} anew: larger, smaller, free of removed cells, or as two
 * halves; {@link PartitionSizes} says how large. The new ones are complete before the directory
 * names them; the old block is given back after. For one thread at a time.
 */
final class Partitions {
  /** So many expected entries fit the largest partition, with some more than expected. */
  static final int MAX_EXPECTED = 2800;

  private final Space space;
  private final MemorySegment root;
  private final long units;
  private final HashedNumbers numbers;
  private final int expected;
  private final int perPartition;

  private int[] gathered = {};
  private long[] hashes = {};
  private long moved;

  /**
   * Partitions of a new table.
   *
   * @param space where their memory comes from
   * @param units where their units are counted in the root (8 bytes)
   * @param numbers what numbers stand for
   * @param expected how many entries are likely
   * @param depth of the first directory
   */
  Partitions(Space space, long units, HashedNumbers numbers, int expected, int depth) {
    this.space = space;
    this.root = space.root();
    this.units = units;
    this.numbers = numbers;
    this.expected = expected;
    int each = expected >>> depth;
    // Four standard deviations more: hardly a partition will ever be built anew.
    this.perPartition = expected < 2 ? 0 : each + 4 * (int) Math.sqrt(each) + 4;
  }

  /** Bytes of all partitions. */
  long usedBytes() {
    return root.get(JAVA_LONG, units) * Space.UNIT_BYTES;
  }

  /** Cells moved so far. */
  long movedCells() {
    return moved;
  }

  /**
   * Builds a partition anew with room for one more entry.
   *
   * @param directory the directory
   * @param place a place of the partition
   * @param number a number that its cells must be able to hold
   * @return false if it is so large that it has to be split, which was not done
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  boolean makeRoom(Directory directory, int place, int number) {
    long word = directory.word(place);
    int live = directory.live(place, word);
    int fraction = fraction(directory, place, word);
    int sizeClass = PartitionSizes.classFor(live + 1, fraction);
    if (sizeClass > PartitionSizes.MAX_CLASS) {
      if (PartitionWord.depth(word) < PartitionWord.MAX_DEPTH) {
        return false;
      }
      if (sizeClass > PartitionSizes.LAST_CLASS) {
        throw new OutOfMemoryError(
            "address vector: more addresses share a hash than the index can tell apart");
      }
    }
    int least = PartitionSizes.classWithRoom(perPartition, fraction);
    rebuild(directory, place, Math.max(sizeClass, least), number);
    return true;
  }

  /**
   * Builds two partitions from one, by one more bit of the hash.
   *
   * @param directory a directory deeper than the partition
   * @param hash a hash of the partition
   * @param number a number that the cells must be able to hold
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void split(Directory directory, long hash, int number) {
    int place = directory.place(hash);
    long word = directory.word(place);
    int depth = PartitionWord.depth(word);
    int indexBits = Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    int count = gather(word);
    int high = 0;
    for (int i = 0; i < count; i++) {
      high += half(hashes[i], depth);
    }
    int[] counts = {count - high, high};
    int first = directory.first(place, word);
    int span = directory.depth() - depth - 1;
    int[] firsts = {first, first + (1 << span)};
    long[] built = new long[2];
    for (int half = 0; half < 2; half++) {
      int fraction = PartitionSizes.fraction(firsts[half], directory.depth());
      int sizeClass = PartitionSizes.classFor(counts[half] + 1, fraction);
      try {
        int unit = space.take(Space.size(sizeClass));
        built[half] =
            PartitionWord.of(
                PartitionWord.nextVersion(word), depth + 1, indexBits, sizeClass, unit);
      } catch (OutOfMemoryError e) {
        if (half > 0) {
          give(built[0]);
        }
        throw e;
      }
    }
    for (int i = 0; i < count; i++) {
      fill(built[half(hashes[i], depth)], hashes[i], gathered[i]);
    }
    for (int half = 0; half < 2; half++) {
      count(built[half], 1);
      int fraction = PartitionSizes.fraction(firsts[half], directory.depth());
      int limit = PartitionSizes.limit(PartitionWord.sizeClass(built[half]), fraction);
      directory.publish(firsts[half], built[half]);
      directory.count(firsts[half], built[half], counts[half], limit - counts[half]);
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
    int cells = PartitionWord.cells(word);
    if (live == 0) {
      directory.publish(
          place, PartitionWord.empty(PartitionWord.nextVersion(word), PartitionWord.depth(word)));
      directory.count(place, word, 0, 0);
      retire(word);
    } else if (live < cells / 8) {
      int fraction = fraction(directory, place, word);
      int least = PartitionSizes.classWithRoom(perPartition, fraction);
      int sizeClass = Math.max(PartitionSizes.classFor(live + 1, fraction), least);
      if (Space.size(sizeClass) * PartitionWord.CELLS_PER_UNIT <= cells / 2) {
        try {
          rebuild(directory, place, sizeClass, 0);
        } catch (OutOfMemoryError e) {
          // It stays as large as it is, which harms nobody.
          return;
        }
      }
    }
  }

  private void rebuild(Directory directory, int place, int sizeClass, int number) {
    long word = directory.word(place);
    int indexBits =
        PartitionWord.unit(word) == 0
            ? PartitionWord.bitsFor(Math.max(number, expected))
            : Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    int count = gather(word);
    int unit = space.take(Space.size(sizeClass));
    int depth = PartitionWord.depth(word);
    int version = PartitionWord.nextVersion(word);
    long built = PartitionWord.of(version, depth, indexBits, sizeClass, unit);
    for (int i = 0; i < count; i++) {
      fill(built, hashes[i], gathered[i]);
    }
    count(built, 1);
    int limit = PartitionSizes.limit(sizeClass, fraction(directory, place, word));
    directory.publish(place, built);
    directory.count(place, built, count, limit - count);
    retire(word);
  }

  /** Collects the numbers of a partition with their hashes. */
  private int gather(long word) {
    int unit = PartitionWord.unit(word);
    if (unit == 0) {
      return 0;
    }
    MemorySegment block = space.segment(unit);
    long base = space.offset(unit);
    int cells = PartitionWord.cells(word);
    if (gathered.length < cells) {
      gathered = new int[cells];
      hashes = new long[cells];
    }
    int mask = PartitionWord.numberMask(PartitionWord.indexBits(word));
    int count = 0;
    for (int i = 0; i < cells; i++) {
      int field = block.get(JAVA_INT, base + 4L * i) & mask;
      // Without a branch: the next number overwrites what is none.
      gathered[count] = field - 1;
      count += field == 0 ? 0 : 1;
    }
    numbers.hash(gathered, count, hashes);
    moved += count;
    return count;
  }

  private void fill(long word, long hash, int number) {
    MemorySegment block = space.segment(PartitionWord.unit(word));
    long base = space.offset(PartitionWord.unit(word));
    int cells = PartitionWord.cells(word);
    int position = PartitionWord.home(hash, cells);
    while (block.get(JAVA_INT, base + 4L * position) != 0) {
      position = position + 1 == cells ? 0 : position + 1;
    }
    int cell = PartitionWord.cell(hash, number, PartitionWord.indexBits(word));
    block.set(JAVA_INT, base + 4L * position, cell);
  }

  private void retire(long word) {
    if (PartitionWord.unit(word) != 0) {
      count(word, -1);
      // The directory names the new partition before the old block is used again: the fence is
      // with the space.
      give(word);
    }
  }

  private void give(long word) {
    space.give(PartitionWord.unit(word), Space.size(PartitionWord.sizeClass(word)));
  }

  private void count(long word, int blocks) {
    long more = (long) blocks * Space.size(PartitionWord.sizeClass(word));
    root.set(JAVA_LONG, units, root.get(JAVA_LONG, units) + more);
  }

  private static int fraction(Directory directory, int place, long word) {
    return PartitionSizes.fraction(directory.first(place, word), directory.depth());
  }

  private static int half(long hash, int depth) {
    return (int) (hash >>> (Long.SIZE - 1 - depth)) & 1;
  }
}
