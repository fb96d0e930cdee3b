// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Builds partitions of {@link HashTable} anew: larger, smaller, free of removed cells, or as two
 * halves; {@link PartitionSizes} says how large. The new ones are complete before their words name
 * them; the old blocks are freed after. For one thread at a time.
 */
public final class Partitions {
  /** Looks at cells; for the writer. */
  public interface Visitor {
    /** Looks at a cell in use; {@code indexBits} of its bits have the number. */
    void visit(int number, int cell, int indexBits);
  }

  /** So many expected entries fit the largest partition, with some more than expected. */
  static final int MAX_EXPECTED = 2500;

  /** The answer of {@link #makeRoom} for a partition that has to be split. */
  static final int TOO_LARGE = -1;

  /** In the root: units of partitions with entries (4), first partition without use (4). */
  public static final long UNITS = 0;

  public static final long FREE = 4;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;
  private final int expected;
  private final int perPartition;

  private final RehashBuffer buffer;
  private PartitionCells low = PartitionCells.NONE;
  private PartitionCells high = PartitionCells.NONE;
  private long moved;
  private final WriterPartitionCache known = new WriterPartitionCache(this);

  /**
   * Partitions of a new table.
   *
   * @param at where their 8 bytes are in the root
   * @param depth of the first directory
   */
  Partitions(SlabAllocator allocator, long at, HashedNumbers numbers, int expected, int depth) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
    this.buffer = new RehashBuffer(numbers);
    this.expected = expected;
    int each = expected >>> depth;
    // Four standard deviations more: hardly a partition will ever be built anew.
    this.perPartition = expected < 2 ? 0 : each + 4 * (int) Math.sqrt(each) + 4;
  }

  long usedBytes() {
    return (long) root.get(JAVA_INT, at + UNITS) * SlabAllocator.UNIT_BYTES;
  }

  long movedCells() {
    return moved;
  }

  /** What the writer has seen of them. */
  public WriterPartitionCache known() {
    return known;
  }

  public long word(int partition) {
    return allocator.segment(partition).get(JAVA_LONG, allocator.offset(partition));
  }

  /**
   * A partition for a place that has none.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void add(Directory directory, int place) {
    int partition = allocatePartition(place, directory.depth());
    directory.count(place, 0, 0);
    directory.publish(place, 1, partition);
  }

  /**
   * Collects the numbers of a partition with their hashes, for what is done with it next.
   *
   * @param tombstones whether there are tombstones, here or elsewhere
   * @return them, until the next call
   */
  RehashBuffer gather(int partition, boolean tombstones) {
    RehashBuffer gathered = buffer;
    long word = word(partition);
    gathered.begin(PartitionWord.cells(word));
    int length = 1 << PartitionWord.cellBits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      int unit = block(partition, word, i);
      gathered.copy(allocator.segment(unit), allocator.offset(unit), i * length, length);
    }
    gathered.collect(word, tombstones);
    moved += gathered.count();
    return gathered;
  }

  void forEach(int partition, Visitor visitor) {
    long word = word(partition);
    int indexBits = PartitionWord.indexBits(word);
    int mask = PartitionWord.numberMask(indexBits);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      int unit = block(partition, word, i);
      MemorySegment segment = allocator.segment(unit);
      for (int place = 0; place < 1 << PartitionWord.cellBits(word); place++) {
        int cell = segment.get(JAVA_INT, allocator.offset(unit) + 4L * place);
        int number = cell & mask;
        if (number != 0) {
          visitor.visit(number - 1, cell, indexBits);
        }
      }
    }
  }

  /**
   * Builds a partition anew, with room for one more entry.
   *
   * @param gathered its {@link #gather numbers}
   * @param number a number that its cells must be able to hold
   * @return how many tombstones it had; {@link #TOO_LARGE} if it has to be split, which was not
   *     done
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  int makeRoom(RehashBuffer gathered, Directory directory, int place, int number) {
    long word = word(directory.partition(place));
    int first = directory.first(word);
    int fraction = PartitionSizes.fraction(first, directory.depth());
    int live = gathered.count();
    int size = PartitionSizes.sizeFor(live + 1, fraction);
    if (PartitionSizes.cellBits(size) > PartitionSizes.MAX_CELL_BITS) {
      if (PartitionWord.depth(word) < PartitionWord.MAX_DEPTH) {
        return TOO_LARGE;
      }
      if (PartitionSizes.cellBits(size) > PartitionSizes.LAST_CELL_BITS) {
        throw new OutOfMemoryError(
            "address vector: more addresses share a hash than the index can tell apart");
      }
    }
    return rebuild(gathered, directory, first, Math.max(size, least(live + 1, fraction)), number);
  }

  /**
   * Builds two partitions from one, by one more bit of the hash.
   *
   * @param gathered its {@link #gather numbers}
   * @param directory a directory deeper than the partition
   * @param number a number that the cells must be able to hold
   * @return how many tombstones it had
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  int split(RehashBuffer gathered, Directory directory, int place, int number) {
    int lower = directory.partition(place);
    long word = word(lower);
    int depth = PartitionWord.depth(word);
    int places = 1 << (directory.depth() - depth - 1);
    int first = directory.first(word);
    int middle = first + places;
    int highCount = gathered.upperHalf(depth);
    int lowCount = gathered.count() - highCount;
    int indexBits = Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    int lowFraction = PartitionSizes.fraction(first, directory.depth());
    int highFraction = PartitionSizes.fraction(middle, directory.depth());
    int lowSize = PartitionSizes.sizeFor(lowCount + 1, lowFraction);
    int highSize = PartitionSizes.sizeFor(highCount + 1, highFraction);
    int prefix = PartitionWord.prefix(word) << 1;
    long lowEmpty = PartitionWord.empty(word, prefix, depth + 1);
    low = low.sized(lowSize, indexBits);
    high = high.sized(highSize, indexBits);
    int upper = allocatePartition(prefix | 1, depth + 1);
    long lowWord;
    long highWord;
    try {
      lowWord = allocate(lower, lowEmpty, indexBits, lowSize);
      try {
        highWord = allocate(upper, word(upper), indexBits, highSize);
      } catch (OutOfMemoryError e) {
        free(lower, lowWord);
        throw e;
      }
    } catch (OutOfMemoryError e) {
      freePartition(upper);
      throw e;
    }
    gathered.fill(low, high, depth);
    copy(low, lower, lowWord);
    copy(high, upper, highWord);
    // A search for a hash of the upper half that still comes by the lower one sees that by its
    // word, and finds the upper one in the directory, which was changed before.
    store(upper, highWord);
    directory.publish(middle, places, upper);
    store(lower, lowWord);
    count(1);
    count(directory, first, low.count(), PartitionSizes.limit(lowSize, lowFraction));
    count(directory, middle, high.count(), PartitionSizes.limit(highSize, highFraction));
    free(lower, word);
    return gathered.used() - low.count() - high.count();
  }

  /** Whether it is worth while to make the partition smaller that has this first place. */
  boolean isTooLarge(Directory directory, int first, int used) {
    int cells = PartitionWord.cells(word(directory.partition(first)));
    return used < cells / 8
        && (used == 0 || PartitionSizes.cells(compactSize(directory, first, used)) <= cells / 2);
  }

  /**
   * Makes a partition as small as it can be, unless that is of no use, or memory ran out.
   *
   * @param gathered its {@link #gather numbers}
   * @param first its first place
   * @return how many tombstones it has lost
   */
  int compact(RehashBuffer gathered, Directory directory, int first) {
    int partition = directory.partition(first);
    int cells = PartitionWord.cells(word(partition));
    int live = gathered.count();
    if (live == 0) {
      empty(directory, first);
      return cells > 0 ? gathered.used() : 0;
    }
    int size = compactSize(directory, first, live);
    if (gathered.used() == live && PartitionSizes.cells(size) > cells / 2) {
      return 0;
    }
    try {
      return rebuild(gathered, directory, first, size, 0);
    } catch (OutOfMemoryError e) {
      // It stays as large as it is, which harms nobody.
      return 0;
    }
  }

  private int compactSize(Directory directory, int first, int live) {
    int fraction = PartitionSizes.fraction(first, directory.depth());
    return Math.max(PartitionSizes.sizeFor(live + 1, fraction), least(live, fraction));
  }

  /** Lets all partitions be without entries. */
  void clear(Directory directory) {
    forEachFirst(directory, first -> empty(directory, first));
  }

  /** Takes all partitions, which are empty, out of a directory that is not used any more. */
  void discard(Directory directory) {
    forEachFirst(directory, first -> freePartition(directory.partition(first)));
  }

  private static void forEachFirst(Directory directory, IntConsumer visitor) {
    int before = 0;
    for (int place = 0; place < 1 << directory.depth(); place++) {
      int partition = directory.partition(place);
      if (partition != before && partition != 0) {
        visitor.accept(place);
      }
      before = partition;
    }
  }

  private void empty(Directory directory, int first) {
    int partition = directory.partition(first);
    long word = word(partition);
    directory.count(first, 0, 0);
    if (PartitionWord.blocks(word) > 0) {
      store(partition, emptied(word));
      free(partition, word);
      count(-1);
    }
  }

  /**
   * The size that a partition has at least as many entries are expected: none before there are some
   * of them, or a hint that is too large would cost much.
   */
  private int least(int live, int fraction) {
    return live > perPartition / 16 ? PartitionSizes.sizeWithRoom(perPartition, fraction) : 0;
  }

  private int rebuild(RehashBuffer gathered, Directory directory, int first, int size, int number) {
    int partition = directory.partition(first);
    long word = word(partition);
    int indexBits =
        PartitionWord.blocks(word) == 0
            ? PartitionWord.bitsFor(Math.max(number, expected))
            : Math.max(PartitionWord.indexBits(word), PartitionWord.bitsFor(number));
    low = low.sized(size, indexBits);
    long next = allocate(partition, emptied(word), indexBits, size);
    gathered.fill(low);
    copy(low, partition, next);
    int fraction = PartitionSizes.fraction(first, directory.depth());
    store(partition, next);
    count(PartitionWord.blocks(word) == 0 ? 1 : 0);
    count(directory, first, low.count(), PartitionSizes.limit(size, fraction));
    free(partition, word);
    return gathered.used() - low.count();
  }

  /** Writes cells into the blocks of a word. */
  private void copy(PartitionCells from, int partition, long word) {
    int length = 1 << PartitionWord.cellBits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      int unit = block(partition, word, i);
      from.copy(i * length, allocator.segment(unit), allocator.offset(unit), length);
    }
  }

  private static void count(Directory directory, int first, int live, int limit) {
    directory.count(first, live, limit - live);
  }

  public int bucket(int partition, long word, int bucket) {
    int bucketBits = PartitionWord.bucketBits(word);
    return block(partition, word, bucket >>> bucketBits) + (bucket & (1 << bucketBits) - 1);
  }

  /**
   * Allocates the blocks of what is to take the place of a partition.
   *
   * @param empty its next word, but without entries
   * @param indexBits how many bits of a cell hold the number
   * @return its next word
   */
  private long allocate(int partition, long empty, int indexBits, int size) {
    int cellBits = PartitionSizes.cellBits(size);
    int blocks = PartitionSizes.blocks(size);
    long built = PartitionWord.of(empty, indexBits, cellBits, blocks);
    MemorySegment segment = allocator.segment(partition);
    long offset = allocator.offset(partition);
    int units = PartitionWord.blockUnits(built);
    for (int i = 0; i < blocks; i++) {
      try {
        int unit = allocator.allocate(units);
        segment.set(JAVA_INT, offset + PartitionWord.blockOffset(built, i), unit);
      } catch (OutOfMemoryError e) {
        count(i * units);
        free(partition, PartitionWord.of(empty, indexBits, cellBits, i));
        throw e;
      }
    }
    count(blocks * units);
    return built;
  }

  /** Frees the blocks that a word of a partition named, after another word was stored. */
  private void free(int partition, long word) {
    int units = PartitionWord.blockUnits(word);
    for (int i = 0; i < PartitionWord.blocks(word); i++) {
      // The fence that puts the new word before is with the space.
      allocator.free(block(partition, word, i), units);
      count(-units);
    }
  }

  private int allocatePartition(int prefix, int depth) {
    int partition = root.get(JAVA_INT, at + FREE);
    if (partition == 0) {
      partition = allocator.allocate(1);
    } else {
      root.set(JAVA_INT, at + FREE, link(partition));
    }
    store(partition, PartitionWord.empty(word(partition), prefix, depth));
    return partition;
  }

  private void freePartition(int partition) {
    store(partition, PartitionWord.unused(word(partition)));
    // Whoever reads the link as the unit of a block finds that the word is another one.
    VarHandle.storeStoreFence();
    long link = allocator.offset(partition) + PartitionWord.LINK;
    allocator.segment(partition).set(JAVA_INT, link, root.get(JAVA_INT, at + FREE));
    root.set(JAVA_INT, at + FREE, partition);
  }

  private int link(int partition) {
    return allocator
        .segment(partition)
        .get(JAVA_INT, allocator.offset(partition) + PartitionWord.LINK);
  }

  int block(int partition, long word, int block) {
    long offset = allocator.offset(partition) + PartitionWord.blockOffset(word, block);
    return allocator.segment(partition).get(JAVA_INT, offset);
  }

  private void store(int partition, long word) {
    SegmentAccess.longRelease(allocator.segment(partition), allocator.offset(partition), word);
    known.changed(word);
  }

  private void count(int moreUnits) {
    root.set(JAVA_INT, at + UNITS, root.get(JAVA_INT, at + UNITS) + moreUnits);
  }

  private static long emptied(long word) {
    return PartitionWord.empty(word, PartitionWord.prefix(word), PartitionWord.depth(word));
  }
}
