package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;

/**
 * From address to index: a hash table of four-byte cells in partitions of at most 4096, found by
 * the high bits of the hash through a {@link Directory}. Each address has one cell; its content is
 * the slot's business, so a cell is no more than a hint where to look.
 *
 * <p>A change is one store of a cell: insertion fills one that was free, removal marks it. Cells
 * never move. When a partition is full it is built anew elsewhere, larger or as two halves, or
 * smaller when it has become empty, and published by the store of its word. Its old block is used
 * again at once: a reader checks the word after it looked at cells, and if it changed, looks again
 * in the new place. It does not wait for the writer: the new place is there already.
 *
 * <p>One thread at a time writes.
 */
final class ReverseIndex {
  private static final VarHandle DIRECTORY;

  static {
    try {
      DIRECTORY =
          MethodHandles.lookup().findVarHandle(ReverseIndex.class, "directory", Directory.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySource memory;
  private final Entries entries;
  private final Blocks blocks;
  private final Partitions partitions;
  private final int firstDepth;

  /** Directories made so far, by depth; all but the present one are spare. */
  private final @Nullable Directory[] directories = new Directory[PartitionWord.MAX_DEPTH + 1];

  private @Nullable Directory directory;
  private int addresses;

  /**
   * An empty index.
   *
   * @param memory where memory comes from
   * @param entries the slots that cells refer to
   * @param expected how many addresses are likely
   */
  ReverseIndex(MemorySource memory, Entries entries, long expected) {
    this.memory = memory;
    this.entries = entries;
    this.blocks = new Blocks(memory);
    this.partitions = new Partitions(blocks, entries, expected);
    this.firstDepth = partitions.firstDepth();
  }

  /**
   * Finds an address; for any thread.
   *
   * @param key the address
   * @param hash its hash
   * @return the index whose cell has it, live at a moment during the call, or -1
   */
  int find(AddressKey key, long hash) {
    while (true) {
      Directory present = (Directory) DIRECTORY.getAcquire(this);
      if (present == null) {
        memory.checkOpen();
        return -1;
      }
      int place = present.place(hash);
      long word = present.word(place);
      int found = PartitionWord.unit(word) == 0 ? -1 : search(word, key, hash);
      // Cells are read before the directory, the directory before its word: a word that is the
      // same in the directory in use was valid, and its block untouched, all the while.
      VarHandle.acquireFence();
      if (DIRECTORY.getAcquire(this) == present && present.word(place) == word) {
        return found;
      }
    }
  }

  /**
   * Makes sure that {@link #put} and {@link #replace} have what they need.
   *
   * @param hash the hash of an address
   * @param index the index it is to get
   * @param fresh whether it needs a cell, as no entry has it yet
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepare(long hash, int index, boolean fresh) {
    Directory present = open();
    while (true) {
      int place = present.place(hash);
      long word = present.word(place);
      int live = 0;
      int removed = 0;
      if (PartitionWord.unit(word) != 0) {
        live = present.live(place, word);
        removed = present.removed(place, word);
        boolean wide = PartitionWord.fits(index, PartitionWord.indexBits(word));
        int room = Partitions.limit(PartitionWord.sizeClass(word)) - live - removed;
        if (wide && (!fresh || room > 0)) {
          return;
        }
      }
      if (Partitions.mustSplit(live + 1)) {
        if (PartitionWord.depth(word) == present.depth()) {
          present = deepen(present);
          continue;
        }
        partitions.split(present, hash);
      } else {
        partitions.rebuild(present, place, live + 1, index);
      }
    }
  }

  /**
   * Gives an address its cell.
   *
   * @param hash the hash of an address that has none, {@link #prepare prepared}
   * @param index its index
   */
  void put(long hash, int index) {
    Directory present = open();
    int place = present.place(hash);
    long word = present.word(place);
    MemorySegment block = blocks.segment(PartitionWord.unit(word));
    long base = blocks.offset(PartitionWord.unit(word));
    int cells = Blocks.cells(PartitionWord.sizeClass(word));
    int at = PartitionWord.home(hash, cells);
    int cell = block.get(JAVA_INT, base + 4L * at);
    while (cell != 0 && cell != PartitionWord.REMOVED) {
      at = at + 1 == cells ? 0 : at + 1;
      cell = block.get(JAVA_INT, base + 4L * at);
    }
    int indexBits = PartitionWord.indexBits(word);
    SegmentAccess.intRelease(block, base + 4L * at, PartitionWord.cell(hash, index, indexBits));
    int removed = present.removed(place, word) - (cell == 0 ? 0 : 1);
    present.count(place, word, present.live(place, word) + 1, removed);
    addresses++;
  }

  /**
   * Lets the cell of an address name another of the entries that have it.
   *
   * @param hash the hash
   * @param from the index in the cell
   * @param to the index that takes its place, {@link #prepare prepared}
   */
  void replace(long hash, int from, int to) {
    Directory present = open();
    long word = present.word(present.place(hash));
    long offset = locate(word, hash, from);
    int cell = PartitionWord.cell(hash, to, PartitionWord.indexBits(word));
    SegmentAccess.intRelease(blocks.segment(PartitionWord.unit(word)), offset, cell);
  }

  /**
   * Takes the cell of an address away.
   *
   * @param hash the hash
   * @param index the index in the cell, not live any more
   */
  void remove(long hash, int index) {
    Directory present = open();
    int place = present.place(hash);
    long word = present.word(place);
    int removed = present.removed(place, word) + erase(word, locate(word, hash, index));
    int live = present.live(place, word) - 1;
    present.count(place, word, live, removed);
    addresses--;
    partitions.shrink(present, place, live);
    if (addresses == 0 && present.depth() > firstDepth) {
      partitions.clearAll(present);
      DIRECTORY.setRelease(this, (Directory) null);
    }
  }

  /** Bytes of the partitions and of the directory that leads to them. */
  long usedBytes() {
    Directory present = directory;
    return present == null || addresses == 0
        ? 0
        : blocks.usedBytes() + Directory.bytes(present.depth());
  }

  private int search(long word, AddressKey key, long hash) {
    int unit = PartitionWord.unit(word);
    MemorySegment block = blocks.segment(unit);
    long base = blocks.offset(unit);
    int cells = Blocks.cells(PartitionWord.sizeClass(word));
    int indexBits = PartitionWord.indexBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int mask = -1 >>> (Integer.SIZE - indexBits);
    int at = PartitionWord.home(hash, cells);
    // A block that was taken for another partition may have no free cell where this one had.
    for (int left = cells; left > 0; left--) {
      int cell = SegmentAccess.intOpaque(block, base + 4L * at);
      if (cell == 0) {
        return -1;
      }
      // The tag cancels out if it is the same, and leaves the index plus 1.
      int candidate = cell ^ tag;
      if ((candidate & ~mask) == 0 && candidate != 0) {
        int index = candidate - 1;
        long slot = entries.word(index);
        if (entries.holds(index, slot, key)) {
          return index;
        }
        if (changed(block, base + 4L * at, cell, index, slot)) {
          left++;
          continue;
        }
      }
      at = at + 1 == cells ? 0 : at + 1;
    }
    return -1;
  }

  /**
   * Whether a cell and the slot that it names were no pair. The cell of an address that has several
   * entries goes over to the next one before the one it named dies: who loaded the cell before that
   * and the slot after it has seen neither. If the slot was the same before and after a look at the
   * cell, which was the same too, then the cell named just that slot at that moment.
   */
  private boolean changed(MemorySegment block, long offset, int cell, int index, long slot) {
    // The cell is loaded after the slot and, by the acquire, before the slot is loaded again.
    return SegmentAccess.intAcquire(block, offset) != cell
        || !SlotWord.sameEntry(slot, entries.word(index));
  }

  /** The offset of a cell that is known to be there. */
  private long locate(long word, long hash, int index) {
    MemorySegment block = blocks.segment(PartitionWord.unit(word));
    long base = blocks.offset(PartitionWord.unit(word));
    int cells = Blocks.cells(PartitionWord.sizeClass(word));
    int wanted = PartitionWord.cell(hash, index, PartitionWord.indexBits(word));
    int at = PartitionWord.home(hash, cells);
    while (block.get(JAVA_INT, base + 4L * at) != wanted) {
      at = at + 1 == cells ? 0 : at + 1;
    }
    return base + 4L * at;
  }

  /**
   * Empties a cell; with nothing behind it, wholly, and so the removed ones before it.
   *
   * @return by how many the removed cells became more
   */
  private int erase(long word, long offset) {
    MemorySegment block = blocks.segment(PartitionWord.unit(word));
    long base = blocks.offset(PartitionWord.unit(word));
    long last = base + 4L * (Blocks.cells(PartitionWord.sizeClass(word)) - 1);
    if (block.get(JAVA_INT, offset == last ? base : offset + 4) != 0) {
      SegmentAccess.intRelease(block, offset, PartitionWord.REMOVED);
      return 1;
    }
    SegmentAccess.intRelease(block, offset, 0);
    int more = 0;
    long before = offset == base ? last : offset - 4;
    while (block.get(JAVA_INT, before) == PartitionWord.REMOVED) {
      SegmentAccess.intRelease(block, before, 0);
      more--;
      before = before == base ? last : before - 4;
    }
    return more;
  }

  private Directory open() {
    Directory present = directory;
    if (present == null) {
      present = directoryOf(firstDepth);
      present.segment().fill((byte) 0);
      for (int i = 0; i < 1 << firstDepth; i++) {
        present.publish(i, PartitionWord.empty(0, firstDepth));
      }
      DIRECTORY.setRelease(this, present);
    }
    return present;
  }

  /** A directory of twice the size takes over. */
  private Directory deepen(Directory present) {
    if (present.depth() == PartitionWord.MAX_DEPTH) {
      throw new OutOfMemoryError(
          "address vector: more addresses share a hash than the index can tell apart");
    }
    Directory wide = directoryOf(present.depth() + 1);
    wide.segment().fill((byte) 0);
    wide.spread(present);
    DIRECTORY.setRelease(this, wide);
    // What is stored next may go to blocks that only the old directory names.
    VarHandle.storeStoreFence();
    return wide;
  }

  private Directory directoryOf(int depth) {
    Directory known = directories[depth];
    if (known == null) {
      known = new Directory(memory.allocate(Directory.bytes(depth)), depth);
      directories[depth] = known;
    }
    return known;
  }
}
