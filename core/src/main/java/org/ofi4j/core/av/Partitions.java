package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Builds partitions of {@link HashCells} anew: larger, smaller, free of removed cells, or as two
 * halves; {@link PartitionSizes} says how large. The new ones are complete before their words name
 * them; the old blocks are given back after. For one thread at a time.
 */
final class Partitions {
  /** So many expected entries fit the largest partition, with some more than expected. */
  static final int MAX_EXPECTED = 2500;

  /** In the root: units of partitions with entries (4), first partition without use (4). */
  private static final long UNITS = 0;

  private static final long FREE = 4;

  /** Both halves, where one could be meant. */
  private static final int BOTH = -1;

  private final Space space;
  private final MemorySegment root;
  private final long at;
  private final HashedNumbers numbers;
  private final int expected;
  private final int perPartition;

  private int[] gathered = {};
  private int[] built = {};
  private long[] hashes = {};
  private long moved;
  private long rebuilt;

  /**
   * Partitions of a new table.
   *
   * @param space where their memory comes from
   * @param at where their 8 bytes are in the root
   * @param numbers what numbers stand for
   * @param expected how many entries are likely
   * @param depth of the first directory
   */
  Partitions(Space space, long at, HashedNumbers numbers, int expected, int depth) {
    this.space = space;
    this.root = space.root();
    this.at = at;
    this.numbers = numbers;
    this.expected = expected;
    int each = expected >>> depth;
    // Four standard deviations more: hardly a partition will ever be built anew.
    this.perPartition = expected < 2 ? 0 : each + 4 * (int) Math.sqrt(each) + 4;
  }

  /** Bytes of all partitions. */
  long usedBytes() {
    return (long) root.get(JAVA_INT, at + UNITS) * Space.UNIT_BYTES;
  }

  /** Cells moved so far. */
  long movedCells() {
    return moved;
  }

  /** How many partitions took the place of others so far. */
  long rebuilt() {
    return rebuilt;
  }

  /** The word of a partition. */
  long word(int partition) {
    return space.segment(partition).get(JAVA_LONG, space.offset(partition));
  }

  /**
   * A partition for a place that has none.
   *
   * @param directory the directory
   * @param place the place
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void add(Directory directory, int place) {
    int partition = takePartition(place, directory.depth());
    directory.count(place, 0, 0);
    directory.publish(place, 1, partition);
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
    int partition = directory.partition(place);
    long word = word(partition);
    int first = first(directory, word);
    int fraction = PartitionSizes.fraction(first, directory.depth());
    int live = directory.live(first);
    int size = PartitionSizes.sizeFor(live + 1, fraction);
    if (PartitionSizes.cellBits(size) > PartitionSizes.MAX_CELL_BITS) {
      if (PartitionWord.depth(word) < PartitionWord.MAX_DEPTH) {
        return false;
      }
      if (PartitionSizes.cellBits(size) > PartitionSizes.LAST_CELL_BITS) {
        throw new OutOfMemoryError(
            "address vector: more addresses share a hash than the index can tell apart");
      }
    }
    rebuild(directory, first, partition, Math.max(size, least(live + 1, fraction)), number);
    return true;
  }

  /**
   * Builds two partitions from one, by one more bit of the hash.
   *
   * @param directory a directory deeper than the partition
   * @param place a place of the partition
   * @param number a number that the cells must be able to hold
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void split(Directory directory, int place, int number) {
    int low = directory.partition(place);
    long word = word(low);
    int depth = PartitionWord.depth(word);
    int places = 1 << (directory.depth() - depth - 1);
    int first = first(directory, word);
    int middle = first + places;
    int count = gather(low, word);
    int highCount = 0;
    for (int i = 0; i < count; i++) {
      highCount += half(hashes[i], depth);
    }
    int lowCount = count - highCount;
    int indexBits = Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    int lowFraction = PartitionSizes.fraction(first, directory.depth());
    int highFraction = PartitionSizes.fraction(middle, directory.depth());
    int lowSize = PartitionSizes.sizeFor(lowCount + 1, lowFraction);
    int highSize = PartitionSizes.sizeFor(highCount + 1, highFraction);
    int prefix = PartitionWord.prefix(word) << 1;
    long lowEmpty = PartitionWord.empty(word, prefix, depth + 1);
    int high = takePartition(prefix | 1, depth + 1);
    long lowWord;
    long highWord;
    try {
      lowWord = take(low, lowEmpty, indexBits, lowSize);
      try {
        highWord = take(high, word(high), indexBits, highSize);
      } catch (OutOfMemoryError e) {
        give(low, lowWord);
        throw e;
      }
    } catch (OutOfMemoryError e) {
      givePartition(high);
      throw e;
    }
    fill(low, lowWord, count, 0);
    fill(high, highWord, count, 1);
    // A search for a hash of the upper half that still comes by the lower one sees that by its
    // word, and finds the upper one in the directory, which was changed before.
    store(high, highWord);
    directory.publish(middle, places, high);
    store(low, lowWord);
    count(1);
    directory.count(first, lowCount, PartitionSizes.limit(lowSize, lowFraction) - lowCount);
    directory.count(middle, highCount, PartitionSizes.limit(highSize, highFraction) - highCount);
    give(low, word);
  }

  /**
   * Makes a partition smaller that has become too large for its entries.
   *
   * @param directory the directory
   * @param first its first place
   * @param live its live cells
   */
  void shrink(Directory directory, int first, int live) {
    int partition = directory.partition(first);
    long word = word(partition);
    int cells = PartitionWord.cells(word);
    if (live == 0) {
      store(partition, emptied(word));
      directory.count(first, 0, 0);
      give(partition, word);
      count(-1);
    } else if (live < cells / 8) {
      int fraction = PartitionSizes.fraction(first, directory.depth());
      int size = Math.max(PartitionSizes.sizeFor(live + 1, fraction), least(live, fraction));
      if (PartitionSizes.blocks(size) << PartitionSizes.cellBits(size) <= cells / 2) {
        try {
          rebuild(directory, first, partition, size, 0);
        } catch (OutOfMemoryError e) {
          // It stays as large as it is, which harms nobody.
          return;
        }
      }
    }
  }

  /**
   * The size that a partition has at least as many entries are expected: none before there are some
   * of them, or a hint that is too large would cost much.
   */
  private int least(int live, int fraction) {
    return live > perPartition / 16 ? PartitionSizes.sizeWithRoom(perPartition, fraction) : 0;
  }

  /** Takes all partitions, which are empty, out of a directory that is not used any more. */
  void discard(Directory directory) {
    int before = 0;
    for (int i = 0; i < 1 << directory.depth(); i++) {
      int partition = directory.partition(i);
      if (partition != before && partition != 0) {
        givePartition(partition);
      }
      before = partition;
    }
  }

  private void rebuild(Directory directory, int first, int partition, int size, int number) {
    long word = word(partition);
    int indexBits =
        PartitionWord.blocks(word) == 0
            ? PartitionWord.bitsFor(Math.max(number, expected))
            : Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    int count = gather(partition, word);
    long next = take(partition, emptied(word), indexBits, size);
    fill(partition, next, count, BOTH);
    int fraction = PartitionSizes.fraction(first, directory.depth());
    store(partition, next);
    count(PartitionWord.blocks(word) == 0 ? 1 : 0);
    directory.count(first, count, PartitionSizes.limit(size, fraction) - count);
    give(partition, word);
  }

  /** Collects the numbers of a partition with their hashes. */
  private int gather(int partition, long word) {
    int cells = PartitionWord.cells(word);
    if (gathered.length < cells) {
      int[] wider = new int[cells];
      // Both or none.
      hashes = new long[cells];
      gathered = wider;
    }
    int length = 1 << PartitionWord.cellBits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      int unit = block(partition, word, i);
      MemorySegment.copy(
          space.segment(unit), JAVA_INT, space.offset(unit), gathered, i * length, length);
    }
    int mask = PartitionWord.numberMask(PartitionWord.indexBits(word));
    int count = 0;
    for (int i = 0; i < cells; i++) {
      int field = gathered[i] & mask;
      // Without a branch: the next number overwrites what is none.
      gathered[count] = field - 1;
      count += field == 0 ? 0 : 1;
    }
    numbers.hash(gathered, count, hashes);
    moved += count;
    return count;
  }

  /** Writes those that were gathered, or of two halves one, into the blocks of a word. */
  private void fill(int partition, long word, int count, int half) {
    int cells = PartitionWord.cells(word);
    int[] into = built;
    Arrays.fill(into, 0, cells, 0);
    int indexBits = PartitionWord.indexBits(word);
    int depth = PartitionWord.depth(word) - 1;
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      if (half != BOTH && half(hash, depth) != half) {
        continue;
      }
      int position = PartitionWord.home(hash, cells);
      while (into[position] != 0) {
        position = position + 1 == cells ? 0 : position + 1;
      }
      into[position] = PartitionWord.cell(hash, gathered[i], indexBits);
    }
    int length = 1 << PartitionWord.cellBits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      int unit = block(partition, word, i);
      MemorySegment.copy(
          into, i * length, space.segment(unit), JAVA_INT, space.offset(unit), length);
    }
  }

  /**
   * Takes the blocks of what is to take the place of a partition.
   *
   * @param partition the partition
   * @param empty its next word, but without entries
   * @param indexBits how many bits of a cell hold the number
   * @param size how large
   * @return its next word
   */
  private long take(int partition, long empty, int indexBits, int size) {
    int cellBits = PartitionSizes.cellBits(size);
    int blocks = PartitionSizes.blocks(size);
    if (built.length < blocks << cellBits) {
      built = new int[blocks << cellBits];
    }
    long built = PartitionWord.of(empty, indexBits, cellBits, blocks);
    MemorySegment segment = space.segment(partition);
    long offset = space.offset(partition);
    int units = PartitionWord.blockUnits(built);
    for (int i = 0; i < blocks; i++) {
      try {
        int unit = space.take(units);
        segment.set(JAVA_INT, offset + PartitionWord.blockOffset(built, i), unit);
      } catch (OutOfMemoryError e) {
        count(i * units);
        give(partition, PartitionWord.of(empty, indexBits, cellBits, i));
        throw e;
      }
    }
    count(blocks * units);
    return built;
  }

  /** Gives the blocks back that a word of a partition named, after another word was stored. */
  private void give(int partition, long word) {
    int units = PartitionWord.blockUnits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      // The fence that puts the new word before is with the space.
      space.give(block(partition, word, i), units);
      count(-units);
    }
  }

  private int takePartition(int prefix, int depth) {
    int partition = root.get(JAVA_INT, at + FREE);
    if (partition == 0) {
      partition = space.take(1);
    } else {
      root.set(JAVA_INT, at + FREE, link(partition));
    }
    store(partition, PartitionWord.empty(word(partition), prefix, depth));
    return partition;
  }

  private void givePartition(int partition) {
    store(partition, PartitionWord.unused(word(partition)));
    // Whoever reads the link as the unit of a block finds that the word is another one.
    VarHandle.storeStoreFence();
    long blocks = space.offset(partition) + PartitionWord.blockOffset(0, 0);
    space.segment(partition).set(JAVA_INT, blocks, root.get(JAVA_INT, at + FREE));
    root.set(JAVA_INT, at + FREE, partition);
  }

  private int link(int partition) {
    long blocks = space.offset(partition) + PartitionWord.blockOffset(0, 0);
    return space.segment(partition).get(JAVA_INT, blocks);
  }

  private int block(int partition, long word, int block) {
    long offset = space.offset(partition) + PartitionWord.blockOffset(word, block);
    return space.segment(partition).get(JAVA_INT, offset);
  }

  private void store(int partition, long word) {
    rebuilt++;
    SegmentAccess.longRelease(space.segment(partition), space.offset(partition), word);
  }

  private void count(int moreUnits) {
    root.set(JAVA_INT, at + UNITS, root.get(JAVA_INT, at + UNITS) + moreUnits);
  }

  private static int first(Directory directory, long word) {
    return PartitionWord.prefix(word) << (directory.depth() - PartitionWord.depth(word));
  }

  private static long emptied(long word) {
    return PartitionWord.empty(word, PartitionWord.prefix(word), PartitionWord.depth(word));
  }

  private static int half(long hash, int depth) {
    return (int) (hash >>> (Long.SIZE - 1 - depth)) & 1;
  }
}
