package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of four-byte cells, each a number, in partitions that are found by the high bits of
 * the hash through a {@link Directory}. What a number stands for is its user's business: a cell is
 * no more than a hint where to look.
 *
 * <pre>
 *    0   directory (8): see there; 0 if there is none, hence no cell
 *    8   cells in use (4)
 *   12   block with the directories made so far (4): 4 bytes each, from depth 1 on; 0 if none
 *   16   units of all partitions (8)
 * </pre>
 *
 * <p>A change is one store of a cell: insertion fills one that was free, removal marks it. Cells
 * never move. When a partition is full it is built anew elsewhere, larger or as two halves, or
 * smaller when it has become empty, and published by the store of its word ({@link Partitions}).
 * Its old block is used again at once: a reader checks the word after it looked at cells, and if it
 * changed, looks again in the new place. It does not wait for the writer: the new place is there
 * already. Numbers in a block that was used again may be any: users must be able to tell.
 *
 * <p>A reader:
 *
 * <pre>
 *   while (true) {
 *     Directory directory = cells.directory();            null: there is nothing
 *     int place = directory.place(hash);
 *     long word = directory.word(place);
 *     int found = PartitionWord.unit(word) == 0 ? -1 : search(word, ...);
 *     if (cells.isCurrent(directory, place, word)) {
 *       return found;
 *     }
 *   }
 * </pre>
 *
 * <p>One thread at a time writes.
 */
final class HashCells {
  /** Bytes in the root. */
  static final int ROOT_BYTES = 24;

  /** A hint beyond this makes no difference: it would only make the first directory large. */
  private static final long MAX_EXPECTED = 1 << 24;

  private static final long COUNT = 8;
  private static final long DIRECTORIES = 12;
  private static final long UNITS = 16;

  private static final VarHandle CACHE;

  static {
    try {
      CACHE = MethodHandles.lookup().findVarHandle(HashCells.class, "cache", Directory.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Space space;
  private final MemorySegment root;
  private final long at;
  private final Partitions partitions;
  private final int firstDepth;

  /** The directory that the root told of when this process looked last. */
  private @Nullable Directory cache;

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
    this.firstDepth = depth;
    this.partitions = new Partitions(space, at + UNITS, numbers, (int) capped, depth);
  }

  // For any thread.

  /** The directory in use, or null if there are no cells. */
  @Nullable Directory directory() {
    long word = SegmentAccess.longAcquire(root, at);
    Directory known = (Directory) CACHE.getAcquire(this);
    if (known != null && known.rootWord() == word) {
      return known;
    }
    return word == 0 ? null : new Directory(space, word);
  }

  /**
   * Whether the word of a partition was valid, and its block untouched, until now: the cells were
   * read before the root, the root before the word.
   */
  boolean isCurrent(Directory directory, int place, long word) {
    VarHandle.acquireFence();
    return SegmentAccess.longAcquire(root, at) == directory.rootWord()
        && directory.word(place) == word;
  }

  // For the writer.

  /** How many cells are in use. */
  int count() {
    return root.get(JAVA_INT, at + COUNT);
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
    Directory present = open();
    int place = present.place(hash);
    long word = present.word(place);
    boolean wide = PartitionWord.fits(number, PartitionWord.indexBits(word));
    if (!wide || (fresh && present.room(place, word) == 0)) {
      makeRoom(present, hash, number);
    }
  }

  /**
   * Gives a hash a cell.
   *
   * @param hash a hash, {@link #prepare prepared}
   * @param number its number
   */
  void put(long hash, int number) {
    Directory present = open();
    int place = present.place(hash);
    long word = present.word(place);
    MemorySegment block = space.segment(PartitionWord.unit(word));
    long base = space.offset(PartitionWord.unit(word));
    int cells = PartitionWord.cells(word);
    int position = PartitionWord.home(hash, cells);
    int cell = block.get(JAVA_INT, base + 4L * position);
    while (cell != 0 && cell != PartitionWord.REMOVED) {
      position = position + 1 == cells ? 0 : position + 1;
      cell = block.get(JAVA_INT, base + 4L * position);
    }
    fill(present, place, word, block, base + 4L * position, hash, number);
  }

  /**
   * Stores a cell that a search came upon.
   *
   * @param present the directory
   * @param place a place of the partition
   * @param word its word
   * @param block its memory
   * @param offset where a cell is that is free or removed
   * @param hash the hash
   * @param number its number
   */
  void fill(
      Directory present,
      int place,
      long word,
      MemorySegment block,
      long offset,
      long hash,
      int number) {
    int taken = block.get(JAVA_INT, offset) == 0 ? 1 : 0;
    int cell = PartitionWord.cell(hash, number, PartitionWord.indexBits(word));
    SegmentAccess.intRelease(block, offset, cell);
    present.count(place, word, present.live(place, word) + 1, present.room(place, word) - taken);
    root.set(JAVA_INT, at + COUNT, count() + 1);
  }

  /**
   * Lets the cell of a hash have another number.
   *
   * @param hash the hash
   * @param from the number in the cell
   * @param to the number that takes its place, {@link #prepare prepared}
   */
  void replace(long hash, int from, int to) {
    Directory present = open();
    long word = present.word(present.place(hash));
    long offset = locate(word, hash, from);
    int cell = PartitionWord.cell(hash, to, PartitionWord.indexBits(word));
    SegmentAccess.intRelease(space.segment(PartitionWord.unit(word)), offset, cell);
  }

  /**
   * Takes the cell of a hash away.
   *
   * @param hash the hash
   * @param number the number in the cell, which must still have this hash
   */
  void remove(long hash, int number) {
    Directory present = open();
    int place = present.place(hash);
    long word = present.word(place);
    int freed = erase(word, locate(word, hash, number));
    int live = present.live(place, word) - 1;
    present.count(place, word, live, present.room(place, word) + freed);
    int count = count() - 1;
    root.set(JAVA_INT, at + COUNT, count);
    partitions.shrink(present, place, live);
    if (count == 0 && present.depth() > firstDepth) {
      publish(null);
    }
  }

  /** Bytes of the partitions and of the directory that leads to them. */
  long usedBytes() {
    Directory present = cache;
    return present == null || count() == 0
        ? 0
        : partitions.usedBytes() + Directory.bytes(present.depth());
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  long movedCells() {
    return partitions.movedCells();
  }

  /** Lets a partition have room for one more, with a number. */
  private void makeRoom(Directory present, long hash, int number) {
    Directory wide = present;
    while (!partitions.makeRoom(wide, wide.place(hash), number)) {
      if (PartitionWord.depth(wide.word(wide.place(hash))) == wide.depth()) {
        wide = deepen(wide);
      }
      partitions.split(wide, hash, number);
      int place = wide.place(hash);
      if (wide.room(place, wide.word(place)) > 0) {
        return;
      }
    }
  }

  /** The offset of a cell that is known to be there. */
  private long locate(long word, long hash, int number) {
    MemorySegment block = space.segment(PartitionWord.unit(word));
    long base = space.offset(PartitionWord.unit(word));
    int cells = PartitionWord.cells(word);
    int wanted = PartitionWord.cell(hash, number, PartitionWord.indexBits(word));
    int position = PartitionWord.home(hash, cells);
    while (block.get(JAVA_INT, base + 4L * position) != wanted) {
      position = position + 1 == cells ? 0 : position + 1;
    }
    return base + 4L * position;
  }

  /**
   * Empties a cell; with nothing behind it, wholly, and so the removed ones before it.
   *
   * @return how many cells may be used again
   */
  private int erase(long word, long offset) {
    MemorySegment block = space.segment(PartitionWord.unit(word));
    long base = space.offset(PartitionWord.unit(word));
    long last = base + 4L * (PartitionWord.cells(word) - 1);
    if (block.get(JAVA_INT, offset == last ? base : offset + 4) != 0) {
      SegmentAccess.intRelease(block, offset, PartitionWord.REMOVED);
      return 0;
    }
    SegmentAccess.intRelease(block, offset, 0);
    int freed = 1;
    long before = offset == base ? last : offset - 4;
    while (block.get(JAVA_INT, before) == PartitionWord.REMOVED) {
      SegmentAccess.intRelease(block, before, 0);
      freed++;
      before = before == base ? last : before - 4;
    }
    return freed;
  }

  private Directory open() {
    Directory present = cache;
    if (present == null) {
      present = directoryOf(firstDepth);
      for (int i = 0; i < 1 << firstDepth; i++) {
        long empty = PartitionWord.empty(0, firstDepth);
        present.publish(i, empty);
        present.count(i, empty, 0, 0);
      }
      publish(present);
    }
    return present;
  }

  /** A directory of twice the size takes over. */
  private Directory deepen(Directory present) {
    Directory wide = directoryOf(present.depth() + 1);
    wide.spread(present);
    publish(wide);
    return wide;
  }

  private void publish(@Nullable Directory directory) {
    SegmentAccess.longRelease(root, at, directory == null ? 0 : directory.rootWord());
    // What is stored next may go to blocks that only the old directory names.
    VarHandle.storeStoreFence();
    CACHE.setRelease(this, directory);
  }

  /** The directory of a depth. Its memory stays what it is, as readers may still look at it. */
  private Directory directoryOf(int depth) {
    int list = root.get(JAVA_INT, at + DIRECTORIES);
    if (list == 0) {
      list = space.take(1);
      root.set(JAVA_INT, at + DIRECTORIES, list);
    }
    MemorySegment known = space.segment(list);
    long offset = space.offset(list) + (long) (depth - 1) * Integer.BYTES;
    int unit = known.get(JAVA_INT, offset);
    if (unit == 0) {
      unit = space.take(Directory.units(depth));
      known.set(JAVA_INT, offset, unit);
    }
    return new Directory(space, Directory.rootWord(depth, unit));
  }
}
