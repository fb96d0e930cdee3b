// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Where to find what is known of a block of 65,536 indices. Leaves of 32 blocks come when the first
 * of these is spoken of and stay; so does the top, which grows by doubling.
 *
 * <pre>
 *   root   word: leaves that the top has room for (32) | unit of the top (32)
 *          bit for each of 1024 leaves: one of its blocks has vacancies           128 bytes
 *   top    4 * i   unit of leaf i, or 0
 *   leaf   0    bit for each block: it has vacancies    4 bytes, then 4 unused
 *          8 + 40 * (block % 32)                        1288 bytes in all
 *
 *   block  0    {@link VacancyWord}         8
 *          8    epoch                       4
 *          12   strays                      4
 *          16   next generation             8
 *          24   window of {@code Lives}       8
 *          32   unit of the summary         4   if there is a bitmap; then 4 unused
 * </pre>
 *
 * <p>One thread at a time writes. The epoch grows with each new word and each change of the strays,
 * after it and before anything else: what is read between two looks at the same epoch belongs
 * together. The bits are for the writer and can be made from the words.
 */
public final class VacancyDirectory {
  /** Indices of a block, as a power of two. */
  public static final int BLOCK_BITS = 16;

  public static final int WORD = 0;
  static final int EPOCH = 8;
  public static final int STRAYS = 12;
  static final int NEXT_GENERATION = 16;
  public static final int WINDOW = 24;
  public static final int SUMMARY = 32;

  private static final int LEAF_BITS = 5;

  /** Blocks of a leaf. */
  public static final int LEAF_BLOCKS = 1 << LEAF_BITS;

  /** Where a leaf has a bit for each block. */
  public static final int MARKS = 0;

  private static final int HEADER = 8;
  private static final int BLOCK_BYTES = 40;

  /** Units of a leaf. */
  public static final int LEAF_UNITS =
      SlabAllocator.sizeOf(
          (HEADER + LEAF_BLOCKS * BLOCK_BYTES + SlabAllocator.UNIT_BYTES - 1)
              / SlabAllocator.UNIT_BYTES);

  /** The most leaves. */
  public static final int LEAVES = 1 << (Integer.SIZE - 1 - BLOCK_BITS - LEAF_BITS);

  private static final int PER_UNIT = SlabAllocator.UNIT_BYTES / Integer.BYTES;

  private final SlabAllocator allocator;
  private final MemorySegment root;

  /** The leaf that the writer came to last; leaves stay where they are. */
  private int knownNumber = -1;

  private MemorySegment known;
  private long knownOffset;

  VacancyDirectory(SlabAllocator allocator) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.known = root;
  }

  /** How many leaves the top has room for that a word in the root tells of. */
  public static int topRoom(long top) {
    return (int) (top >>> Integer.SIZE);
  }

  /** The unit of the top that a word in the root tells of. */
  public static int topUnit(long top) {
    return (int) top;
  }

  /** Units of a top with room for so many leaves. */
  public static int topUnits(int room) {
    return (room + PER_UNIT - 1) / PER_UNIT;
  }

  /** Where a top has the unit of a leaf. */
  public static long inTop(int leaf) {
    return (long) leaf * Integer.BYTES;
  }

  /** Where a leaf has what is known of a block. */
  public static long inLeaf(int block) {
    return HEADER + (long) (block & LEAF_BLOCKS - 1) * BLOCK_BYTES;
  }

  /** Where the root has the word with the bit of a leaf, the low bits of whose number say which. */
  public static long leafMarks(int leaf) {
    return Superblock.VACANT_LEAVES + (long) (leaf >>> 6) * Long.BYTES;
  }

  /** The unit of the leaf of a block, 0 if there is none; for any thread. */
  int leaf(int block) {
    // An outgrown top stays as it was: it leads to what there was when it was the root's.
    long top = SegmentAccess.longAcquire(root, Superblock.VACANCIES);
    int number = block >>> LEAF_BITS;
    if (number >= topRoom(top)) {
      return 0;
    }
    int unit = topUnit(top);
    return SegmentAccess.intAcquire(
        allocator.segment(unit), allocator.offset(unit) + inTop(number));
  }

  /** Where a block lies in the segment of its leaf. */
  long offset(int leaf, int block) {
    return allocator.offset(leaf) + inLeaf(block);
  }

  /**
   * Sees to it that a block has a leaf.
   *
   * @param block the block
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void ensure(int block) {
    if (find(block)) {
      return;
    }
    int number = block >>> LEAF_BITS;
    long top = root.get(JAVA_LONG, Superblock.VACANCIES);
    int room = topRoom(top);
    int unit = topUnit(top);
    if (number >= room) {
      int wanted = Math.max(number + 1, Math.min(2 * room, LEAVES));
      int units = SlabAllocator.sizeOf(topUnits(wanted));
      int wide = allocator.allocate(units);
      if (room > 0) {
        MemorySegment.copy(
            allocator.segment(unit),
            allocator.offset(unit),
            allocator.segment(wide),
            allocator.offset(wide),
            inTop(room));
      }
      unit = wide;
      long places = (long) units * PER_UNIT;
      SegmentAccess.longRelease(root, Superblock.VACANCIES, (places << Integer.SIZE) | unit);
      count(units);
    }
    int leaf = allocator.allocate(LEAF_UNITS);
    count(LEAF_UNITS);
    long offset = allocator.offset(unit) + inTop(number);
    SegmentAccess.intRelease(allocator.segment(unit), offset, leaf);
  }

  /** The word of a block. */
  long word(int block) {
    return find(block) ? known.get(JAVA_LONG, place(block) + WORD) : 0;
  }

  int field(int block, int field) {
    return find(block) ? known.get(JAVA_INT, place(block) + field) : 0;
  }

  /** The epoch of a block; for any thread. */
  int epoch(int block) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.intAcquire(allocator.segment(leaf), offset(leaf, block) + EPOCH);
  }

  /** As {@link #word}; for any thread. */
  long wordForReader(int block) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.longAcquire(allocator.segment(leaf), offset(leaf, block) + WORD);
  }

  /** How many strays a block has; for any thread. */
  int strays(int block) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.intAcquire(allocator.segment(leaf), offset(leaf, block) + STRAYS);
  }

  /** Stores a field of a block that has a leaf. */
  void setField(int block, int field, int value) {
    checkLeaf(block);
    SegmentAccess.intRelease(known, place(block) + field, value);
  }

  /** Stores the word of a block that has a leaf; what was written before is seen with it. */
  void publish(int block, long word) {
    checkLeaf(block);
    long at = place(block) + WORD;
    int more = VacancyWord.memory(word) - VacancyWord.memory(known.get(JAVA_LONG, at));
    if (more != 0) {
      root.set(
          JAVA_INT, Superblock.VACANCY_UNITS, root.get(JAVA_INT, Superblock.VACANCY_UNITS) + more);
    }
    SegmentAccess.longRelease(known, at, word);
    raiseEpoch(block);
    mark(block, word != 0);
  }

  /** Lets readers look again that look at a block now. */
  void raiseEpoch(int block) {
    setField(block, EPOCH, field(block, EPOCH) + 1);
    // Memory that the word told of is written to after the epoch.
    VarHandle.storeStoreFence();
  }

  /** Counts strays of a block that has a leaf in or out. */
  void changeStrays(int block, int change) {
    setField(block, STRAYS, field(block, STRAYS) + change);
    raiseEpoch(block);
  }

  /** The largest next generation of some blocks; for any thread. */
  long nextGeneration(int first, int last) {
    long most = 0;
    for (int block = first; block <= last; block++) {
      int leaf = leaf(block);
      if (leaf == 0) {
        block |= LEAF_BLOCKS - 1;
      } else {
        // The leaf that is known is the writer's: who reads must not change which one that is.
        long offset = offset(leaf, block) + NEXT_GENERATION;
        most = Math.max(most, SegmentAccess.longAcquire(allocator.segment(leaf), offset));
      }
    }
    return most;
  }

  /** Lets the next generation of a block that has a leaf be beyond one. */
  void forget(int block, long generation) {
    checkLeaf(block);
    long at = place(block) + NEXT_GENERATION;
    if (known.get(JAVA_LONG, at) <= generation) {
      SegmentAccess.longRelease(known, at, generation + 1);
    }
  }

  /** The window of a block, 0 if it has none; for any thread. */
  long window(int block) {
    int leaf = leaf(block);
    return leaf == 0
        ? 0
        : SegmentAccess.longAcquire(allocator.segment(leaf), offset(leaf, block) + WINDOW);
  }

  /** Stores the window of a block that has a leaf; what was written before is seen with it. */
  void setWindow(int block, long window) {
    checkLeaf(block);
    SegmentAccess.longRelease(known, place(block) + WINDOW, window);
  }

  /** The first block from one on that has vacancies, or -1. */
  int next(int block) {
    int number = block >>> LEAF_BITS;
    if (find(block)) {
      int rest = known.get(JAVA_INT, knownOffset + MARKS) & -1 << block;
      if (rest != 0) {
        return number << LEAF_BITS | Integer.numberOfTrailingZeros(rest);
      }
    }
    number++;
    if (number >= LEAVES) {
      return -1;
    }
    long leaves = leaves(number) & -1L << number;
    while (leaves == 0) {
      number = (number | Long.SIZE - 1) + 1;
      if (number == LEAVES) {
        return -1;
      }
      leaves = leaves(number);
    }
    number = (number & -Long.SIZE) | Long.numberOfTrailingZeros(leaves);
    int first = number << LEAF_BITS;
    checkLeaf(first);
    return first | Integer.numberOfTrailingZeros(known.get(JAVA_INT, knownOffset + MARKS));
  }

  private void mark(int block, boolean any) {
    int before = known.get(JAVA_INT, knownOffset + MARKS);
    int after = any ? before | 1 << block : before & ~(1 << block);
    if (before != after) {
      known.set(JAVA_INT, knownOffset + MARKS, after);
      int number = block >>> LEAF_BITS;
      long leaves = leaves(number);
      leaves = after != 0 ? leaves | 1L << number : leaves & ~(1L << number);
      root.set(JAVA_LONG, leafMarks(number), leaves);
    }
  }

  /** Comes to the leaf of a block, if there is one. */
  private boolean find(int block) {
    if (block >>> LEAF_BITS != knownNumber) {
      int leaf = leaf(block);
      if (leaf == 0) {
        return false;
      }
      knownNumber = block >>> LEAF_BITS;
      known = allocator.segment(leaf);
      knownOffset = allocator.offset(leaf);
    }
    return true;
  }

  private void checkLeaf(int block) {
    if (!find(block)) {
      throw new IllegalStateException("block " + block + " of the indices was not prepared");
    }
  }

  /** Where a block lies in the leaf that was come to. */
  private long place(int block) {
    return knownOffset + inLeaf(block);
  }

  private void count(int units) {
    int used = root.get(JAVA_INT, Superblock.VACANCY_DIRECTORY_UNITS) + units;
    root.set(JAVA_INT, Superblock.VACANCY_DIRECTORY_UNITS, used);
  }

  /** The bits of a leaf and of those beside it. */
  private long leaves(int number) {
    return root.get(JAVA_LONG, leafMarks(number));
  }
}
