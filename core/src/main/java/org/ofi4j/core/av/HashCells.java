package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A hash table of four-byte cells, each a number, in partitions ({@link PartitionWord}) that are
 * found by the high bits of the hash through a {@link Directory}. What a number stands for is its
 * user's business: a cell is no more than a hint where to look.
 *
 * <pre>
 *    0   directory (8): see there; 0 if there is none, hence no cell
 *    8   cells in use (4)
 *   12   block with the directories made so far (4): 4 bytes each, from depth 1 on; 0 if none
 *   16   units of partitions with entries (4) | first partition without use (4)
 * </pre>
 *
 * <p>A change is one store of a cell: insertion fills one that was free, removal marks it. Cells
 * never move. When a partition is full it is built anew elsewhere, larger or as two halves, or
 * smaller when it has become empty, and published by the store of its word ({@link Partitions}).
 * Its old blocks are used again at once: a reader checks the word after it looked at cells, and if
 * it changed, looks again in the new place. It does not wait for the writer: the new place is there
 * already. Numbers in a block that was used again may be any: users must be able to tell.
 *
 * <p>A search, by any thread; {@link #find} is one, and users that search often have their own, as
 * the compiler does better if it sees the whole loop:
 *
 * <pre>
 *   place in the directory ─▶ partition ─▶ its word ─▶ its block ─▶ cells ─▶ the word again
 *                                             │
 *          the directory in the root ◀────────┘ if the word does not cover the hash
 * </pre>
 *
 * <p>A word that covers the hash and is the same before and after tells the truth by itself,
 * wherever it was found. Its blocks are looked at before that is known, and then may be smaller
 * ones: {@link #isBlock} sees to it that nothing is looked for outside of memory.
 *
 * <p>One thread at a time writes.
 */
final class HashCells {
  /** Whether a number is what is searched for; for any thread, and any number. */
  interface Match {
    boolean matches(int number, long wanted);
  }

  /** A hint beyond this makes no difference: it would only make the first directory large. */
  private static final long MAX_EXPECTED = 1 << 24;

  private static final long COUNT = 8;
  private static final long DIRECTORIES = 12;
  private static final long PARTITIONS = 16;

  private final Space space;
  private final MemorySegment root;
  private final long at;
  private final Partitions partitions;
  private final Directories directories;
  private final CellSearch searches;

  /** What the root says, for the writer. */
  private int count;

  /**
   * An empty table.
   *
   * @param space where its memory comes from
   * @param at where its words are in the root
   * @param numbers what numbers stand for
   * @param expected how many cells are likely
   */
  HashCells(Space space, long at, HashedNumbers numbers, long expected) {
    this.space = space;
    this.root = space.root();
    this.at = at;
    long capped = Math.clamp(expected, 0, MAX_EXPECTED);
    int depth = 1;
    while (capped >>> depth > Partitions.MAX_EXPECTED) {
      depth++;
    }
    this.searches = new CellSearch(space, this);
    this.directories = new Directories(space, at, at + DIRECTORIES, depth);
    this.partitions = new Partitions(space, at + PARTITIONS, numbers, (int) capped, depth);
  }

  // For any thread.

  /**
   * The partition that a directory leads to.
   *
   * @param hash a hash
   * @return a partition; 0 if there are no cells of such hashes. If its word does not {@link
   *     PartitionWord#covers cover} the hash, the directory has changed: {@link #refresh} it
   */
  int partition(long hash) {
    return directories.partition(hash);
  }

  /** Lets {@link #partition} go by the directory that the root tells of. */
  void refresh() {
    directories.refresh();
  }

  /**
   * Whether a partition and its blocks were what they are until now: the cells were read before the
   * word.
   */
  boolean isCurrent(int partition, long word) {
    VarHandle.acquireFence();
    return SegmentAccess.longOpaque(space.segment(partition), space.offset(partition)) == word;
  }

  /** The word of a partition; what it names is seen as it was when the word was stored. */
  long word(int partition) {
    return SegmentAccess.longAcquire(space.segment(partition), space.offset(partition));
  }

  /** The unit of a block of a partition; any other unit if the word is not that any more. */
  int block(int partition, long word, int block) {
    long offset = space.offset(partition) + PartitionWord.blockOffset(word, block);
    // By the acquire, the slab that it is in is known to whoever knows the unit.
    return SegmentAccess.intAcquire(space.segment(partition), offset);
  }

  /** Whether memory has room for a block with so many cells. */
  static boolean isBlock(MemorySegment segment, long offset, int cellBits) {
    return offset + (4L << cellBits) <= segment.byteSize();
  }

  /**
   * Finds a number; for any thread.
   *
   * @param hash its hash
   * @param match what tells it from others
   * @param wanted what is passed to that
   * @return a number that matches, or -1
   */
  int find(long hash, Match match, long wanted) {
    while (true) {
      int partition = partition(hash);
      if (partition == 0) {
        return -1;
      }
      long word = word(partition);
      if (!PartitionWord.covers(word, hash)) {
        refresh();
        continue;
      }
      int found = searches.search(partition, word, hash, match, wanted);
      if (isCurrent(partition, word)) {
        return found;
      }
    }
  }

  /** The first cell of the block behind that of a cell. */
  static int nextBlock(int position, int cellBits, int cells) {
    int next = ((position >>> cellBits) + 1) << cellBits;
    return next == cells ? 0 : next;
  }

  /** Whether there were no cells, when this was called. */
  boolean isEmpty() {
    return SegmentAccess.intOpaque(root, at + COUNT) == 0;
  }

  // For the writer.

  /** How many cells are in use. */
  int count() {
    return count;
  }

  /** How often partitions were built anew: as long as it is the same, all are where they were. */
  long rebuilt() {
    return partitions.rebuilt();
  }

  /**
   * Makes sure that {@link #put} and {@link #replace} have what they need.
   *
   * @param hash a hash
   * @param number the number it is to have
   * @param fresh whether it needs a cell
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepare(long hash, int number, boolean fresh) {
    Directory present = directories.open();
    int place = present.place(hash);
    int partition = present.partition(place);
    if (partition != 0) {
      long word = partitions.word(partition);
      if (PartitionWord.fits(number, PartitionWord.indexBits(word))
          && (!fresh || present.room(first(present, word)) > 0)) {
        return;
      }
    }
    makeRoom(present, hash, number);
  }

  /**
   * Gives a hash a cell.
   *
   * @param hash a hash, {@link #prepare prepared}
   * @param number its number
   */
  void put(long hash, int number) {
    Directory present = directories.open();
    int partition = present.partition(present.place(hash));
    long word = partitions.word(partition);
    int position = locate(partition, word, hash, 0);
    int unit = block(partition, word, position >>> PartitionWord.cellBits(word));
    int cell = PartitionWord.cell(hash, number, PartitionWord.indexBits(word));
    fill(word, space.segment(unit), offset(unit, word, position), cell);
  }

  /** Whether a partition has room for a cell. */
  boolean hasRoom(long word) {
    Directory present = directories.open();
    return present.room(first(present, word)) > 0;
  }

  /**
   * Fills a cell.
   *
   * @param word the word of its partition
   * @param block the memory of one of its blocks
   * @param offset where a cell is that is free, with room, or removed
   * @param cell what it is to be
   */
  void fill(long word, MemorySegment block, long offset, int cell) {
    boolean takesRoom = block.get(JAVA_INT, offset) == 0;
    SegmentAccess.intRelease(block, offset, cell);
    Directory present = directories.open();
    present.countOne(first(present, word), takesRoom);
    count(count + 1);
  }

  /**
   * Lets the cell of a hash have another number.
   *
   * @param hash the hash
   * @param from the number in the cell
   * @param to the number that takes its place, {@link #prepare prepared}
   */
  void replace(long hash, int from, int to) {
    Directory present = directories.open();
    int partition = present.partition(present.place(hash));
    long word = partitions.word(partition);
    int indexBits = PartitionWord.indexBits(word);
    int position = locate(partition, word, hash, PartitionWord.cell(hash, from, indexBits));
    int cell = PartitionWord.cell(hash, to, indexBits);
    store(partition, word, position, cell);
  }

  /**
   * Takes the cell of a hash away.
   *
   * @param hash the hash
   * @param number the number in the cell, which must still have this hash
   */
  void remove(long hash, int number) {
    Directory present = directories.open();
    int partition = present.partition(present.place(hash));
    long word = partitions.word(partition);
    int cell = PartitionWord.cell(hash, number, PartitionWord.indexBits(word));
    int freed = erase(partition, word, locate(partition, word, hash, cell));
    int first = first(present, word);
    int live = present.uncountOne(first, freed);
    count(count - 1);
    if (live < PartitionWord.cells(word) / 8) {
      partitions.shrink(present, first, live);
    }
    if (count == 0 && directories.isDeep()) {
      directories.close();
      partitions.discard(present);
    }
  }

  /** Bytes of the partitions and of the directory that leads to them. */
  long usedBytes() {
    Directory directory = directories.present();
    return directory == null || count() == 0
        ? 0
        : partitions.usedBytes() + Directory.bytes(directory.depth());
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  long movedCells() {
    return partitions.movedCells();
  }

  /** Lets a partition have room for one more, with a number. */
  private void makeRoom(Directory present, long hash, int number) {
    Directory wide = present;
    while (true) {
      int place = wide.place(hash);
      int partition = wide.partition(place);
      if (partition == 0) {
        partitions.add(wide, place);
      }
      if (partitions.makeRoom(wide, place, number)) {
        return;
      }
      if (PartitionWord.depth(partitions.word(partition)) == wide.depth()) {
        wide = directories.deepen();
        place = wide.place(hash);
      }
      partitions.split(wide, place, number);
      if (wide.room(first(wide, partitions.word(wide.partition(place)))) > 0) {
        return;
      }
    }
  }

  /**
   * The position of the first cell of a hash that is the one wanted, which there is, or, if that is
   * 0, free or removed.
   */
  private int locate(int partition, long word, long hash, int wanted) {
    int or = wanted == 0 ? PartitionWord.REMOVED : wanted;
    int cells = PartitionWord.cells(word);
    int cellBits = PartitionWord.cellBits(word);
    int position = PartitionWord.home(hash, cells);
    while (true) {
      int unit = block(partition, word, position >>> cellBits);
      MemorySegment block = space.segment(unit);
      long base = space.offset(unit);
      int end = 1 << cellBits;
      for (int i = position & (end - 1); i < end; i++) {
        int cell = block.get(JAVA_INT, base + 4L * i);
        if (cell == wanted || cell == or) {
          return position >>> cellBits << cellBits | i;
        }
      }
      position = nextBlock(position, cellBits, cells);
    }
  }

  /**
   * Empties a cell; with nothing behind it, wholly, and so the removed ones before it.
   *
   * @return how many cells may be used again
   */
  private int erase(int partition, long word, int position) {
    int inBlock = (1 << PartitionWord.cellBits(word)) - 1;
    if ((position & inBlock) != 0 && (position & inBlock) != inBlock) {
      // The ordinary case: both neighbours are in the same block.
      int unit = block(partition, word, position >>> PartitionWord.cellBits(word));
      MemorySegment block = space.segment(unit);
      long offset = offset(unit, word, position);
      if (block.get(JAVA_INT, offset + 4) != 0) {
        SegmentAccess.intRelease(block, offset, PartitionWord.REMOVED);
        return 0;
      }
      if (block.get(JAVA_INT, offset - 4) != PartitionWord.REMOVED) {
        SegmentAccess.intRelease(block, offset, 0);
        return 1;
      }
    }
    int cells = PartitionWord.cells(word);
    if (load(partition, word, position + 1 == cells ? 0 : position + 1) != 0) {
      store(partition, word, position, PartitionWord.REMOVED);
      return 0;
    }
    int freed = 0;
    int last = position;
    do {
      store(partition, word, last, 0);
      freed++;
      last = last == 0 ? cells - 1 : last - 1;
    } while (load(partition, word, last) == PartitionWord.REMOVED);
    return freed;
  }

  private int load(int partition, long word, int position) {
    int unit = block(partition, word, position >>> PartitionWord.cellBits(word));
    return space.segment(unit).get(JAVA_INT, offset(unit, word, position));
  }

  private void store(int partition, long word, int position, int cell) {
    int unit = block(partition, word, position >>> PartitionWord.cellBits(word));
    SegmentAccess.intRelease(space.segment(unit), offset(unit, word, position), cell);
  }

  private long offset(int unit, long word, int position) {
    int inBlock = position & (1 << PartitionWord.cellBits(word)) - 1;
    return space.offset(unit) + 4L * inBlock;
  }

  private void count(int now) {
    count = now;
    root.set(JAVA_INT, at + COUNT, now);
  }

  /** The first place of a partition. */
  private static int first(Directory directory, long word) {
    return PartitionWord.prefix(word) << (directory.depth() - PartitionWord.depth(word));
  }
}
