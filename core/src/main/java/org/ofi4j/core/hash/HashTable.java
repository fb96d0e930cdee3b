// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

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
 *   24   tombstones (4) | 0 (4)
 * </pre>
 *
 * <p>A change is one store of a cell: insertion fills one that was free, removal marks it. Cells
 * never move. When a partition is full it is built anew elsewhere, larger or as two halves, or
 * smaller when it has become empty, and published by the store of its word ({@link Partitions}).
 * Its old blocks are used again at once: a reader checks the word after it looked at cells, and if
 * it changed, looks again in the new place. It does not wait for the writer: the new place is there
 * already. Numbers in a block that was used again may be any: users must be able to tell.
 *
 * <p>A search, by any thread; {@link #find}:
 *
 * <pre>
 *   place in the directory ─▶ partition ─▶ its word ─▶ its block ─▶ cells ─▶ the word again
 *                                             │
 *          the directory in the root ◀────────┘ if the word does not cover the hash
 * </pre>
 *
 * <p>A word that covers the hash and is the same before and after tells the truth by itself,
 * wherever it was found. Its blocks are looked at before that is known, and then may be smaller
 * ones: {@link #isBucket} sees to it that nothing is looked for outside of memory.
 *
 * <p>One thread at a time writes.
 */
public final class HashTable {
  /** What a {@link Match} answers if a search has to be made again. */
  public static final int CHANGED = -2;

  /** What tells what is searched for from others; for any thread, and any number. */
  public interface Match<K> {
    /**
     * Looks at what a number stands for.
     *
     * @param block memory with its cell
     * @param at where in that memory the cell is
     * @param cell what the cell was
     * @param key what is searched for, as it was passed to {@link #find}; so is {@code wanted}
     * @return the number, if it is the one; -1 if not; {@link #CHANGED} if nobody can tell
     */
    int look(MemorySegment block, long at, int cell, int number, @Nullable K key, long wanted);
  }

  private static final Match<Void> NOTHING = (block, at, cell, number, key, wanted) -> -1;

  private static final Match<Void> SAME =
      (block, at, cell, number, key, wanted) -> number == wanted ? number : -1;

  /** A hint beyond this makes no difference: it would only make the first directory large. */
  private static final long MAX_EXPECTED = 1 << 24;

  public static final long COUNT = 8;
  public static final long DIRECTORIES = 12;
  public static final long PARTITIONS = 16;
  public static final long TOMBSTONES = 24;

  /** A partition is swept after so many cells became tombstones, when most are. */
  private static final int SWEEP = 512;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long at;
  private final Partitions partitions;
  private final CellPlace place;
  private final Directories directories;
  private final CellSearch searches;

  // What the root says, for the writer.
  private int count;
  private int tombstones;

  /**
   * The place of the partition to be swept next, and how many cells became tombstones since one
   * was.
   */
  private int sweepNext;

  private int sweepDebt;

  /**
   * An empty table, or the one that the root tells of.
   *
   * @param at where its words are in the root
   */
  public HashTable(SlabAllocator allocator, long at, HashedNumbers numbers, long expected) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.at = at;
    long capped = Math.clamp(expected, 0, MAX_EXPECTED);
    int depth = 1;
    while (capped >>> depth > Partitions.MAX_EXPECTED) {
      depth++;
    }
    this.searches = new CellSearch(allocator, this);
    this.directories = new Directories(allocator, at, at + DIRECTORIES, depth);
    this.partitions = new Partitions(allocator, at + PARTITIONS, numbers, (int) capped, depth);
    this.place = new CellPlace(allocator, partitions, numbers);
    follow();
  }

  /** Goes by what the root says, as another process may have written. */
  public void follow() {
    count = root.get(JAVA_INT, at + COUNT);
    tombstones = root.get(JAVA_INT, at + TOMBSTONES);
    directories.refresh();
    partitions.known().forget();
  }

  // For any thread.

  /**
   * The partition that a directory leads to.
   *
   * @return a partition; 0 if there are no cells of such hashes. If its word does not {@link
   *     PartitionWord#covers cover} the hash, the directory has changed: {@link #refresh} it
   */
  public int partition(long hash) {
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
    return SegmentAccess.longOpaque(allocator.segment(partition), allocator.offset(partition))
        == word;
  }

  /** The word of a partition; what it names is seen as it was when the word was stored. */
  public long word(int partition) {
    return SegmentAccess.longAcquire(allocator.segment(partition), allocator.offset(partition));
  }

  /** The unit of a block of a partition; any other unit if the word is not that any more. */
  int block(int partition, long word, int block) {
    long offset = allocator.offset(partition) + PartitionWord.blockOffset(word, block);
    // By the acquire, the slab that it is in is known to whoever knows the unit.
    return SegmentAccess.intAcquire(allocator.segment(partition), offset);
  }

  long bucket(int block, long word, int bucket) {
    int inBlock = bucket & (1 << PartitionWord.bucketBits(word)) - 1;
    return allocator.offset(block) + (long) inBlock * SlabAllocator.UNIT_BYTES;
  }

  /** Whether memory has room for a bucket; of a block that is something else now, it may not. */
  public static boolean isBucket(MemorySegment segment, long bucket) {
    return bucket <= segment.byteSize() - SlabAllocator.UNIT_BYTES;
  }

  /**
   * Finds a number; for any thread.
   *
   * @param match what tells it from others
   * @param key passed to that
   * @param wanted the same
   * @return a number that matches, or -1
   */
  public <K> int find(long hash, Match<K> match, @Nullable K key, long wanted) {
    return searches.find(hash, match, key, wanted);
  }

  /** Whether there were no cells, when this was called. */
  public boolean isEmpty() {
    return SegmentAccess.intOpaque(root, at + COUNT) == 0;
  }

  // For the writer.

  /** How many cells are in use and no tombstones. */
  public int count() {
    return count;
  }

  /**
   * Makes sure that {@link #put} and {@link #replace} have what they need.
   *
   * @param fresh whether it needs a cell
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepare(long hash, int number, boolean fresh) {
    Directory present = directories.open();
    int place = present.place(hash);
    int partition = present.partition(place);
    if (partition != 0) {
      long word = partitions.word(partition);
      if (PartitionWord.fits(number, PartitionWord.indexBits(word))
          && (!fresh || present.room(present.first(word)) > 0)) {
        return;
      }
    }
    makeRoom(present, hash, number);
  }

  /** Gives a {@link #prepare prepared} hash a cell. */
  public void put(long hash, int number) {
    locate(hash, NOTHING, null, 0);
    fill(hash, number);
    added(1);
  }

  /**
   * Gives a {@link #prepare prepared} hash a cell unless a number matches, as {@link #find} has it.
   *
   * @return whether it got one, of which {@link #added} is to be told
   */
  public <K> boolean fillIfAbsent(
      long hash, int number, Match<K> match, @Nullable K key, long wanted) {
    if (locate(hash, match, key, wanted) >= 0) {
      return false;
    }
    fill(hash, number);
    return true;
  }

  private <K> int locate(long hash, Match<K> match, @Nullable K key, long wanted) {
    Directory present = directories.open();
    int partition = present.partition(present.place(hash));
    return place.find(partition, hash, tombstones > 0, match, key, wanted);
  }

  private void locate(long hash, int number) {
    if (locate(hash, SAME, null, number) < 0) {
      throw new IllegalStateException("no cell of number " + number);
    }
  }

  private void fill(long hash, int number) {
    int before = place.cell();
    place.fill(hash, number);
    if (before == 0 || before == PartitionWord.REMOVED) {
      Directory present = directories.open();
      present.countOne(present.first(place.word()), before == 0);
    } else {
      tombstones(tombstones - 1);
    }
  }

  /** The directory in use, for those that fill cells themselves. */
  public Directory directory() {
    return directories.open();
  }

  /** What the writer has seen of the partitions, for those that fill cells themselves. */
  public WriterPartitionCache known() {
    return partitions.known();
  }

  /** Counts cells that were filled. */
  public void added(int cells) {
    count(count + cells);
  }

  /** Lets the cell of a hash have another number, {@link #prepare prepared}. */
  public void replace(long hash, int from, int to) {
    locate(hash, from);
    place.fill(hash, to);
  }

  /** Takes away the cell of a hash with a number that must still have this hash. */
  public void remove(long hash, int number) {
    locate(hash, number);
    // It is not free: what came when the bucket was full would not be found behind a free cell.
    place.store(PartitionWord.REMOVED);
    Directory present = directories.open();
    int first = present.first(place.word());
    int used = present.uncountOne(first);
    count(count - 1);
    if (count == 0) {
      clear();
    } else if (partitions.isTooLarge(present, first, used)) {
      compact(present, first);
    }
  }

  /**
   * Leaves the cells of numbers that stand for nothing any more: no search takes them for what it
   * looks for, and when a partition is built anew they are not in it. Only of use where {@link
   * HashedNumbers} can tell.
   */
  public void addTombstones(int cells) {
    count(count - cells);
    tombstones(tombstones + cells);
    if (count == 0) {
      clear();
    } else if (count < tombstones / 15) {
      sweepDebt += cells;
      if (sweepDebt >= SWEEP) {
        sweepDebt = 0;
        sweep();
      }
    }
  }

  /**
   * Visits all cells with numbers, tombstones too, perhaps more than once.
   *
   * @throws IllegalStateException if there are more cells than memory has: it is damaged
   */
  public void forEach(Partitions.Visitor visitor) {
    Directory present = directories.refresh();
    long most = allocator.bytes() / Integer.BYTES;
    int before = 0;
    for (int i = 0; present != null && i < 1 << present.depth(); i++) {
      int partition = present.partition(i);
      if (partition != before && partition != 0) {
        // Without that, places that all lead to one partition are visited for hours.
        most -= PartitionWord.cells(partitions.word(partition));
        if (most < 0) {
          throw new IllegalStateException("partitions have more cells than there is memory");
        }
        partitions.forEach(partition, visitor);
      }
      before = partition;
    }
  }

  /** As {@link #count}, as the root says, for any thread. */
  public int presentCount() {
    return SegmentAccess.intOpaque(root, at + COUNT);
  }

  /** Bytes of the partitions and of the directory that leads to them. */
  public long usedBytes() {
    return isEmpty() ? 0 : partitions.usedBytes() + directories.presentBytes();
  }

  /** Cells that were moved so far, for tests of what a single call may do. */
  public long movedCells() {
    return partitions.movedCells();
  }

  /** Lets a partition have room for one more, with a number. */
  private void makeRoom(Directory present, long hash, int number) {
    Directory wide = present;
    while (true) {
      int place = wide.place(hash);
      if (wide.partition(place) == 0) {
        partitions.add(wide, place);
      }
      int partition = wide.partition(place);
      RehashBuffer gathered = partitions.gather(partition, tombstones > 0);
      int dropped = partitions.makeRoom(gathered, wide, place, number);
      if (dropped == Partitions.TOO_LARGE) {
        if (PartitionWord.depth(partitions.word(partition)) == wide.depth()) {
          wide = directories.deepen();
          // Memory may run out before any partition tells of it.
          partitions.known().forget();
          place = wide.place(hash);
        }
        dropped = partitions.split(gathered, wide, place, number);
      }
      tombstones(tombstones - dropped);
      if (wide.room(wide.first(partitions.word(wide.partition(place)))) > 0) {
        return;
      }
    }
  }

  /** Makes the next partition as small as it can be, without tombstones. */
  private void sweep() {
    Directory present = directories.open();
    int place = sweepNext & (1 << present.depth()) - 1;
    int partition = present.partition(place);
    int places = 1;
    if (partition != 0) {
      int depth = PartitionWord.depth(partitions.word(partition));
      places = 1 << (present.depth() - depth);
      compact(present, present.first(partitions.word(partition)));
    }
    sweepNext = (place & -places) + places;
  }

  private void compact(Directory present, int first) {
    int partition = present.partition(first);
    RehashBuffer gathered = partitions.gather(partition, tombstones > 0);
    tombstones(tombstones - partitions.compact(gathered, present, first));
  }

  private void clear() {
    Directory present = directories.open();
    partitions.clear(present);
    tombstones(0);
    if (directories.isDeep()) {
      directories.close();
      partitions.discard(present);
    }
  }

  private void count(int now) {
    count = now;
    root.set(JAVA_INT, at + COUNT, now);
  }

  private void tombstones(int now) {
    tombstones = now;
    root.set(JAVA_INT, at + TOMBSTONES, now);
  }
}
