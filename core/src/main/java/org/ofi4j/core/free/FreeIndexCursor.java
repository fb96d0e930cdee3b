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
 * Where the writer is in a {@link FreeIndexDirectory}, which has the layout: it reads and changes
 * what is known of blocks, and remembers the leaf that it came to last, as the next block is likely
 * to be in it. For one thread at a time.
 */
final class FreeIndexCursor {
  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final FreeIndexDirectory directory;

  /** The leaf that it came to last; leaves stay where they are. */
  private int knownNumber = -1;

  private MemorySegment known;
  private long knownOffset;

  FreeIndexCursor(SlabAllocator allocator, FreeIndexDirectory directory) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.directory = directory;
    this.known = root;
  }

  /**
   * Sees to it that a block has a leaf.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void ensure(int block) {
    if (find(block)) {
      return;
    }
    int number = block >>> FreeIndexDirectory.LEAF_BITS;
    long top = root.get(JAVA_LONG, Superblock.FREE_INDICES);
    int room = FreeIndexDirectory.topRoom(top);
    int unit = FreeIndexDirectory.topUnit(top);
    if (number >= room) {
      int wanted = Math.max(number + 1, Math.min(2 * room, FreeIndexDirectory.LEAVES));
      int units = SlabAllocator.sizeOf(FreeIndexDirectory.topUnits(wanted));
      int wide = allocator.allocate(units);
      if (room > 0) {
        MemorySegment.copy(
            allocator.segment(unit),
            allocator.offset(unit),
            allocator.segment(wide),
            allocator.offset(wide),
            FreeIndexDirectory.inTop(room));
      }
      unit = wide;
      long wider = FreeIndexDirectory.top(FreeIndexDirectory.topRoomOf(units), unit);
      SegmentAccess.longRelease(root, Superblock.FREE_INDICES, wider);
      count(units);
    }
    int leaf = allocator.allocate(FreeIndexDirectory.LEAF_UNITS);
    count(FreeIndexDirectory.LEAF_UNITS);
    long offset = allocator.offset(unit) + FreeIndexDirectory.inTop(number);
    SegmentAccess.intRelease(allocator.segment(unit), offset, leaf);
  }

  long word(int block) {
    return find(block) ? known.get(JAVA_LONG, place(block) + FreeIndexDirectory.WORD) : 0;
  }

  long marks(int block) {
    return find(block) ? known.get(JAVA_LONG, place(block) + FreeIndexDirectory.MARKS) : 0;
  }

  /** Stores the marks of a block that has a leaf; what was written before is seen with them. */
  void setMarks(int block, long marks) {
    checkLeaf(block);
    long at = place(block) + FreeIndexDirectory.MARKS;
    boolean any = known.get(JAVA_LONG, at) != 0;
    SegmentAccess.longRelease(known, at, marks);
    if (any != (marks != 0)) {
      mark(block, marks != 0);
    }
  }

  /** Stores the word of a block that has a leaf; what was written before is seen with it. */
  void publish(int block, long word) {
    checkLeaf(block);
    long at = place(block) + FreeIndexDirectory.WORD;
    int more = FreeBitmaps.units(word) - FreeBitmaps.units(known.get(JAVA_LONG, at));
    if (more != 0) {
      root.set(
          JAVA_INT,
          Superblock.FREE_INDEX_UNITS,
          root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS) + more);
    }
    SegmentAccess.longRelease(known, at, word);
    // Readers look again that look at the block now.
    long epoch = place(block) + FreeIndexDirectory.EPOCH;
    SegmentAccess.intRelease(known, epoch, known.get(JAVA_INT, epoch) + 1);
    // Memory that the word told of is written to after the epoch.
    VarHandle.storeStoreFence();
  }

  /** Lets the next generation of a block that has a leaf be beyond one. */
  void forget(int block, long generation) {
    checkLeaf(block);
    long at = place(block) + FreeIndexDirectory.NEXT_GENERATION;
    if (known.get(JAVA_LONG, at) <= generation) {
      SegmentAccess.longRelease(known, at, generation + 1);
    }
  }

  /** The first block from one on that has free indices, or -1. */
  int next(int block) {
    int number = block >>> FreeIndexDirectory.LEAF_BITS;
    if (find(block)) {
      int rest = known.get(JAVA_INT, knownOffset + FreeIndexDirectory.MARKED_BLOCKS) & -1 << block;
      if (rest != 0) {
        return number << FreeIndexDirectory.LEAF_BITS | Integer.numberOfTrailingZeros(rest);
      }
    }
    number++;
    if (number >= FreeIndexDirectory.LEAVES) {
      return -1;
    }
    long leaves = leaves(number) & -1L << number;
    while (leaves == 0) {
      number = (number | Long.SIZE - 1) + 1;
      if (number == FreeIndexDirectory.LEAVES) {
        return -1;
      }
      leaves = leaves(number);
    }
    number = (number & -Long.SIZE) | Long.numberOfTrailingZeros(leaves);
    int first = number << FreeIndexDirectory.LEAF_BITS;
    checkLeaf(first);
    return first
        | Integer.numberOfTrailingZeros(
            known.get(JAVA_INT, knownOffset + FreeIndexDirectory.MARKED_BLOCKS));
  }

  private void mark(int block, boolean any) {
    int before = known.get(JAVA_INT, knownOffset + FreeIndexDirectory.MARKED_BLOCKS);
    int after = any ? before | 1 << block : before & ~(1 << block);
    if (before != after) {
      known.set(JAVA_INT, knownOffset + FreeIndexDirectory.MARKED_BLOCKS, after);
      int number = block >>> FreeIndexDirectory.LEAF_BITS;
      long leaves = leaves(number);
      leaves = after != 0 ? leaves | 1L << number : leaves & ~(1L << number);
      root.set(JAVA_LONG, FreeIndexDirectory.leafMarks(number), leaves);
    }
  }

  /** Comes to the leaf of a block, if there is one. */
  private boolean find(int block) {
    if (block >>> FreeIndexDirectory.LEAF_BITS != knownNumber) {
      int leaf = directory.leaf(block);
      if (leaf == 0) {
        return false;
      }
      knownNumber = block >>> FreeIndexDirectory.LEAF_BITS;
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
    return knownOffset + FreeIndexDirectory.inLeaf(block);
  }

  private void count(int units) {
    int used = root.get(JAVA_INT, Superblock.FREE_INDEX_DIRECTORY_UNITS) + units;
    root.set(JAVA_INT, Superblock.FREE_INDEX_DIRECTORY_UNITS, used);
  }

  /** The bits of a leaf and of those beside it. */
  private long leaves(int number) {
    return root.get(JAVA_LONG, FreeIndexDirectory.leafMarks(number));
  }
}
