// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * The unused indices of a store. If indices are used again, the lowest unused index is used next
 * (AV-083); otherwise the next one is the index behind the last.
 *
 * <pre>
 *   0 ........................................... end ........................... capacity
 *   used, or free and recorded in the tree       |  unused, not recorded
 * </pre>
 *
 * <p>If indices are used again, the last index below the end is used. A vector that lost all its
 * entries is thus like a new one.
 *
 * <p>The free indices below the end are bits in the leaves of a tree. A node has a summary of each
 * child, so the lowest free index is found with one word of each level.
 *
 * <pre>
 *   superblock   FREE_INDICES         bits of the indices that the tree covers (32) | root unit (32);
 *                                     0 if there is no tree
 *                FREE_INDEX_SUMMARY   summary of the root
 *
 *   node         8 * i         summary of child i: bit j is set if word j of a leaf, or
 *                              summary j of a node, is not 0
 *                512 + 4 * i   unit of child i; 0 if it has no memory, and nothing is free
 *   leaf         8 * i         bit j: index 64 * i + j of the leaf is free
 *
 *   height                  0    1    2    3    4
 *   bits of the indices     12   18   24   30   36
 * </pre>
 *
 * <p>A leaf has the bits of 4,096 indices. A root that covers too few indices becomes the first
 * child of a new root. Nothing is freed.
 *
 * <p>{@link #prepare} takes the memory for the bit of an index before the index is used, so that
 * its release always succeeds.
 *
 * <p>For the one thread that writes, except for {@link #usedBytes}. End and count are fields;
 * {@link #publish} stores them for other processes. The tree is in memory at any time. A writer
 * that dies leaves it in any state, which the next writer rebuilds from the entries.
 */
public final class FreeIndices {
  /** Bits of an index that one level of the tree decodes. */
  public static final int FAN_BITS = 6;

  /** Bits of an index that a leaf decodes. */
  public static final int LEAF_BITS = 2 * FAN_BITS;

  /** Units of a leaf. */
  public static final int LEAF_UNITS = 8;

  /** Units of a node. */
  public static final int NODE_UNITS = 12;

  /** The offset in a node of the units of its children. */
  public static final int CHILDREN = Long.BYTES << FAN_BITS;

  private static final int MAX_HEIGHT = 4;
  private static final int LEAF_SIZE = 1 << LEAF_BITS;
  private static final int NONE = -1;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final boolean reuse;
  private final int capacity;

  /** Whether other processes see the memory. */
  private final boolean shared;

  private int end;
  private long count;

  /** How many indices the tree covers; 0 if the root is not known, or there is none. */
  private long covered;

  private int height;

  /** An index whose leaf and the nodes above are in {@link #nodes}; -1 if there is none. */
  private int known = NONE;

  /**
   * The segments of the nodes on the way to an index, by level. Level 0 is the leaf, {@link
   * #height} the root, which is always known. The superblock, above, has the summary of the root
   * where a node has that of child 0.
   */
  private final MemorySegment[] nodes = new MemorySegment[MAX_HEIGHT + 2];

  private final long[] offsets = new long[MAX_HEIGHT + 2];

  /**
   * Creates the view of the free indices in memory; in new memory all indices are unused.
   *
   * @param reuse whether an index is used again
   */
  public FreeIndices(SlabAllocator allocator, boolean reuse, int capacity) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.reuse = reuse;
    this.capacity = capacity;
    this.shared = allocator.isShared();
    follow();
  }

  /** Reads end and count from the superblock, as another process may have written. */
  public void follow() {
    end = root.get(JAVA_INT, Superblock.END);
    count = root.get(JAVA_LONG, Superblock.FREE_INDEX_COUNT);
    forget();
  }

  /** Derives nothing from the tree any more: another process may have built another one. */
  private void forget() {
    known = NONE;
    covered = 0;
    height = 0;
    nodes[1] = root;
    offsets[1] = Superblock.FREE_INDEX_SUMMARY;
  }

  /** Stores end and count in the superblock if they changed. */
  public void publish() {
    if (root.get(JAVA_INT, Superblock.END) != end) {
      root.set(JAVA_INT, Superblock.END, end);
    }
    if (root.get(JAVA_LONG, Superblock.FREE_INDEX_COUNT) != count) {
      root.set(JAVA_LONG, Superblock.FREE_INDEX_COUNT, count);
    }
  }

  /**
   * Returns one more than the largest index in use or, if indices are not used again, than the
   * largest so far.
   */
  public int end() {
    return end;
  }

  /**
   * Returns the end for any thread. It is not below an index that was in use before the call and is
   * still in use.
   */
  public int presentEnd() {
    return shared ? Math.max(end, SegmentAccess.intAcquire(root, Superblock.END)) : end;
  }

  /** Returns the number of free indices below the end. */
  public long count() {
    return count;
  }

  /**
   * Returns the bytes of the tree; 0 if no index is in use, as the tree is not needed then. Any
   * thread may call this method, and may see the state of a moment ago.
   */
  public long usedBytes() {
    int latest = shared ? SegmentAccess.intOpaque(root, Superblock.END) : end;
    return latest == 0
        ? 0
        : (long) SegmentAccess.intOpaque(root, Superblock.FREE_INDEX_UNITS)
            * SlabAllocator.UNIT_BYTES;
  }

  /**
   * Returns the index to be used next: the lowest free index, or the end.
   *
   * @return the index; -1 if all are in use
   * @throws IllegalStateException if a free index is not below the end: memory is damaged
   */
  public int next() {
    if (count == 0) {
      return end < capacity ? end : -1;
    }
    findRoot();
    known = NONE;
    long path = 0;
    for (int level = height; ; level--) {
      // The first slot of the superblock, or the lowest child that has free indices.
      long summary = nodes[level + 1].get(JAVA_LONG, offsets[level + 1] + summaryAt((int) path));
      path = (path << FAN_BITS) | Long.numberOfTrailingZeros(summary);
      if (summary == 0 || path << ((level + 1) * FAN_BITS) >= covered) {
        throw new IllegalStateException("a summary of free indices is wrong");
      }
      if (level == 0) {
        break;
      }
      int unit = nodes[level].get(JAVA_INT, offsets[level] + unitAt((int) path));
      if (unit == 0) {
        throw new IllegalStateException("a summary of free indices is wrong");
      }
      enter(level - 1, unit);
    }
    long word = nodes[0].get(JAVA_LONG, offsets[0] + summaryAt((int) path));
    long lowest = (path << FAN_BITS) | Long.numberOfTrailingZeros(word);
    if (word == 0 || lowest >= end) {
      throw new IllegalStateException("index " + lowest + " is free, but all end at " + end);
    }
    known = (int) lowest;
    return known;
  }

  /**
   * Makes sure that indices can be taken and released later. Does nothing if indices are not used
   * again.
   *
   * @param first the first index
   * @param count the number of indices, at least 1
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepare(int first, int count) {
    int last = first + count - 1;
    if (!reuse || ((first ^ last) >>> LEAF_BITS == 0 && find(last))) {
      return;
    }
    for (long at = first; at <= last; at = (at | LEAF_SIZE - 1) + 1) {
      int lastOfLeaf = (int) Math.min(at | LEAF_SIZE - 1, last);
      if (!find(lastOfLeaf)) {
        make(lastOfLeaf);
      }
    }
  }

  /**
   * Takes successive unused indices.
   *
   * @param first the index that {@link #next} gave, or a free index below the end
   * @param count the number of indices, at least 1
   */
  public void take(int first, int count) {
    if (first >= end) {
      end = first + count;
      if (shared) {
        // Other processes may see the entries before the change ends.
        SegmentAccess.intRelease(root, Superblock.END, end);
      }
      return;
    }
    changeAll(first, count, false);
    this.count -= count;
  }

  /**
   * Makes an index free. If it is the last one below the end, the end moves down over it and the
   * free indices before it. Does nothing if indices are not used again.
   *
   * @param index an index in use, {@link #prepare prepared} unless it is the last one
   */
  public void release(int index) {
    if (!reuse) {
      return;
    }
    if (index == end - 1) {
      retreat(index);
    } else {
      change(index, 1L << index, true);
      count++;
    }
  }

  /**
   * Makes many indices free, as {@link #release(int)}.
   *
   * @param indices different indices, {@link #prepare prepared}, in any order
   */
  public void release(int[] indices, int count) {
    if (!reuse) {
      return;
    }
    int last = end - 1;
    boolean retreats = false;
    for (int i = 0; i < count; ) {
      // Successive indices are often in one word, which is stored once.
      int index = indices[i];
      long mask = 0;
      for (; i < count && (indices[i] ^ index) >>> FAN_BITS == 0; i++) {
        mask |= 1L << indices[i];
      }
      if ((last ^ index) >>> FAN_BITS == 0 && (mask >>> last & 1) != 0) {
        retreats = true;
        mask &= ~(1L << last);
      }
      if (mask != 0) {
        change(index, mask, true);
      }
    }
    this.count += retreats ? count - 1 : count;
    if (retreats) {
      retreat(last);
    }
  }

  /**
   * Returns the end of a free extent.
   *
   * @param first the first index of the extent
   * @param most the number of indices after which the search ends
   * @return one more than the last index, at most {@code first + most}; {@code first} if it is not
   *     free
   */
  public int freeEnd(int first, int most) {
    if (first >= end) {
      return (int) Math.min((long) first + most, capacity);
    }
    int stop = (int) Math.min((long) first + most, end);
    int at = first;
    while (at < stop && find(at)) {
      int width = Long.SIZE - (at & Long.SIZE - 1);
      int ones = Long.numberOfTrailingZeros(~(word(at) >>> at));
      at += Math.min(ones, stop - at);
      if (ones < width) {
        break;
      }
    }
    return at;
  }

  /**
   * Begins a tree without free indices. The memory of the one before is no longer this object's.
   *
   * @param end the end of the indices, all of which are in use
   */
  public void restore(int end) {
    root.set(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY, 0);
    root.set(JAVA_LONG, Superblock.FREE_INDICES, 0);
    root.set(JAVA_INT, Superblock.FREE_INDEX_UNITS, 0);
    forget();
    this.end = end;
    this.count = 0;
  }

  /**
   * Makes indices below the end free, after {@link #restore}. Does nothing if indices are not used
   * again.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  public void restoreFree(int from, int to) {
    if (reuse && from < to) {
      prepare(from, to - from);
      changeAll(from, to - from, true);
      count += to - from;
    }
  }

  /** Moves the end down over everything from an index on, and the free indices before it. */
  private void retreat(int index) {
    int at = index;
    while (at > 0 && find(at - 1)) {
      int width = (at - 1 & Long.SIZE - 1) + 1;
      int ones = Long.numberOfLeadingZeros(~(word(at - 1) << (Long.SIZE - width)));
      if (ones > 0) {
        change(at - 1, mask(at - ones, ones), false);
        at -= ones;
      }
      if (ones < width) {
        break;
      }
    }
    count -= index - at;
    end = at;
  }

  private void changeAll(int first, int count, boolean free) {
    for (int done = 0; done < count; ) {
      int at = first + done;
      int width = Math.min(count - done, Long.SIZE - (at & Long.SIZE - 1));
      change(at, mask(at, width), free);
      done += width;
    }
  }

  /** Returns the bits of successive indices in one word. */
  private static long mask(int first, int count) {
    return -1L >>> (Long.SIZE - count) << first;
  }

  /**
   * Sets or clears bits of one word.
   *
   * @param index any index of the word
   */
  private void change(int index, long mask, boolean free) {
    if (!find(index)) {
      throw new IllegalStateException("index " + index + " was not prepared to be free");
    }
    long before = word(index);
    long after = free ? before | mask : before & ~mask;
    nodes[0].set(JAVA_LONG, offsets[0] + wordAt(index), after);
    if ((before == 0) != (after == 0)) {
      summarize(index, free);
    }
  }

  /** Updates the summaries above a leaf after a word of it became 0 or got its first bit. */
  private void summarize(int index, boolean free) {
    for (int level = 0; level <= height; level++) {
      long bit = 1L << slot(index, level);
      long place = offsets[level + 1] + summaryAt(slot(index, level + 1));
      long before = nodes[level + 1].get(JAVA_LONG, place);
      long after = free ? before | bit : before & ~bit;
      nodes[level + 1].set(JAVA_LONG, place, after);
      if ((before == 0) == (after == 0)) {
        return;
      }
    }
  }

  /** Goes to the leaf of an index; returns false if it has no memory, so that nothing is free. */
  private boolean find(int index) {
    return (index ^ known) >>> LEAF_BITS == 0 || descend(index);
  }

  private boolean descend(int index) {
    findRoot();
    if (index >= covered) {
      return false;
    }
    known = NONE;
    for (int level = height; level > 0; level--) {
      int unit = nodes[level].get(JAVA_INT, offsets[level] + unitAt(slot(index, level)));
      if (unit == 0) {
        return false;
      }
      enter(level - 1, unit);
    }
    known = index;
    return true;
  }

  private void enter(int level, int unit) {
    nodes[level] = allocator.segment(unit);
    offsets[level] = allocator.offset(unit);
  }

  /** Finds the root of the tree, if there is one. */
  private void findRoot() {
    long tree = covered > 0 ? 0 : root.get(JAVA_LONG, Superblock.FREE_INDICES);
    if (tree != 0) {
      useRoot(tree);
    }
  }

  private void useRoot(long tree) {
    if (!isTree(tree)) {
      throw new IllegalStateException("the root of the free indices is " + Long.toHexString(tree));
    }
    known = NONE;
    height = height(tree);
    enter(height, unit(tree));
    nodes[height + 1] = root;
    offsets[height + 1] = Superblock.FREE_INDEX_SUMMARY;
    covered = 1L << bits(tree);
  }

  // New memory.

  /** Makes the leaf of an index, which has none. */
  private void make(int index) {
    while (index >= covered) {
      addRoot(index);
    }
    for (int level = height; level > 0; level--) {
      long place = offsets[level] + unitAt(slot(index, level));
      int unit = nodes[level].get(JAVA_INT, place);
      if (unit == 0) {
        unit = allocate(level == 1 ? LEAF_UNITS : NODE_UNITS);
        nodes[level].set(JAVA_INT, place, unit);
      }
      known = NONE;
      enter(level - 1, unit);
    }
    known = index;
  }

  /** Puts a node above the root; where there is none, a root that covers an index. */
  private void addRoot(int index) {
    int bits = LEAF_BITS;
    while (covered >>> bits != 0 || (covered == 0 && (long) index >>> bits != 0)) {
      bits += FAN_BITS;
    }
    int unit = allocate(bits == LEAF_BITS ? LEAF_UNITS : NODE_UNITS);
    if (covered > 0) {
      long summary = root.get(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY);
      MemorySegment segment = allocator.segment(unit);
      segment.set(JAVA_LONG, allocator.offset(unit) + summaryAt(0), summary);
      segment.set(
          JAVA_INT,
          allocator.offset(unit) + unitAt(0),
          unit(root.get(JAVA_LONG, Superblock.FREE_INDICES)));
      root.set(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY, summary == 0 ? 0 : 1);
    }
    long tree = (long) bits << Integer.SIZE | unit;
    root.set(JAVA_LONG, Superblock.FREE_INDICES, tree);
    useRoot(tree);
  }

  private int allocate(int units) {
    int unit = allocator.allocate(units);
    int before = root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS);
    root.set(JAVA_INT, Superblock.FREE_INDEX_UNITS, before + units);
    return unit;
  }

  // Layout.

  /** Returns whether a word of the superblock can describe a tree. */
  public static boolean isTree(long word) {
    int bits = bits(word);
    return unit(word) > 0
        && bits >= LEAF_BITS
        && bits <= LEAF_BITS + MAX_HEIGHT * FAN_BITS
        && bits % FAN_BITS == 0;
  }

  /** Returns the unit of the root. */
  public static int unit(long tree) {
    return (int) tree;
  }

  /** Returns the bits of the indices that a tree covers. */
  private static int bits(long tree) {
    return (int) (tree >>> Integer.SIZE);
  }

  /** Returns the number of levels above the leaves. */
  public static int height(long tree) {
    return Math.max(0, bits(tree) - LEAF_BITS) / FAN_BITS;
  }

  private static int slot(int index, int level) {
    return (int) ((long) index >>> ((level + 1) * FAN_BITS)) & ((1 << FAN_BITS) - 1);
  }

  private static long summaryAt(int slot) {
    return (long) (slot & (1 << FAN_BITS) - 1) * Long.BYTES;
  }

  private static long unitAt(int slot) {
    return CHILDREN + (long) (slot & (1 << FAN_BITS) - 1) * Integer.BYTES;
  }

  private static long wordAt(int index) {
    return summaryAt(slot(index, 0));
  }

  /** Returns the word of an index whose leaf is known. */
  private long word(int index) {
    return nodes[0].get(JAVA_LONG, offsets[0] + wordAt(index));
  }
}
