// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * The entries that have one address, if there are several: leftist heaps of indices, so that the
 * lowest one is at hand whatever comes and goes. The hash table knows of each heap the root alone.
 * Links are indices plus 1, 0 being none.
 *
 * <pre>
 *   page    64 times, found by {@link IndexPages}: left (4) | right (4) | parent (4) | rank (4)
 *
 *           root                 each index is below those under it
 *          ╱    ╲
 *       left    right            rank: how many indices there are to the right, with this one; that
 *       ╱  ╲                     of the left one is never less than that of the right one; 0 if the
 *    left  right                 index is in no heap
 * </pre>
 *
 * <p>So going right from any index of n in a heap ends after log<sub>2</sub> (n + 1) steps, and
 * each operation takes at most a few times as many: no order of coming and going makes a single one
 * long. Nothing recurses, and links that lead in a circle, as in a damaged file, are found out. For
 * one thread at a time; readers never come here.
 */
public final class DuplicateHeap {
  public static final int LEFT = 0;
  public static final int RIGHT = 4;
  public static final int PARENT = 8;
  public static final int RANK = 12;
  private static final int BYTES = 16;
  private static final int PAGE_UNITS = BYTES;

  /** More indices than there are on a way to the right in two heaps. */
  private static final int MOST_STEPS = 2 * Integer.SIZE;

  private final SlabAllocator allocator;
  private final IndexPages pages;

  /** No heaps, or those that the superblock leads to. */
  public DuplicateHeap(SlabAllocator allocator) {
    this.allocator = allocator;
    this.pages = new IndexPages(allocator, Superblock.LINK_PAGES, PAGE_UNITS);
  }

  /**
   * Makes sure that an index can be in a heap.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void ensure(int index) {
    pages.ensure(index);
  }

  /** Begins without heaps, for a writer that follows one that died. */
  public void restore() {
    pages.clear();
  }

  /** Whether an entry has or had companions. */
  public boolean contains(int index) {
    return pages.page(index) != 0 && rank(index + 1) != 0;
  }

  public boolean isRoot(int index) {
    return get(index + 1, PARENT) == 0;
  }

  /**
   * Adds an index.
   *
   * @param root the root, or an index that was alone so far; {@link #ensure}d
   * @param index the index to add; {@link #ensure}d
   * @return the root from now on
   */
  public int insert(int root, int index) {
    if (rank(root + 1) == 0) {
      set(root + 1, RANK, 1);
    }
    set(index + 1, RANK, 1);
    return meld(root + 1, index + 1) - 1;
  }

  /** Lets an index that was removed be in no heap. */
  public void detach(int index) {
    set(index + 1, LEFT, 0);
    set(index + 1, RIGHT, 0);
    set(index + 1, PARENT, 0);
    set(index + 1, RANK, 0);
  }

  /** Removes the root; the root from now on, or -1 if the heap is empty. */
  public int removeRoot(int root) {
    return meldChildren(root + 1) - 1;
  }

  /** Removes an index that is not the root, which stays the root. */
  public void remove(int index) {
    int link = index + 1;
    int parent = get(link, PARENT);
    int which = get(parent, LEFT) == link ? LEFT : RIGHT;
    int rest = meldChildren(link);
    set(parent, which, rest);
    if (rest != 0) {
      set(rest, PARENT, parent);
    }
    // Where the rank stays, nothing above can tell. One that grew is felt only as long as the way
    // up comes from the right; one that fell is one more at each step: both ends are near.
    int at = parent;
    for (int steps = 0; at != 0 && settle(at); steps++) {
      at = next(at, PARENT, steps);
    }
  }

  /** Makes one heap of what is below an index, which is left as it is. */
  private int meldChildren(int link) {
    int left = get(link, LEFT);
    int right = get(link, RIGHT);
    if (left != 0) {
      set(left, PARENT, 0);
    }
    if (right == 0) {
      return left;
    }
    set(right, PARENT, 0);
    return meld(left, right);
  }

  /** Makes one heap of two; answers its root. */
  private int meld(int one, int other) {
    boolean inOrder = one < other;
    int root = inOrder ? one : other;
    // Down the right of both: whichever is less comes next.
    int at = root;
    int rest = inOrder ? other : one;
    for (int steps = 0; rest != 0; steps++) {
      int right = next(at, RIGHT, steps);
      if (right == 0 || rest < right) {
        set(at, RIGHT, rest);
        set(rest, PARENT, at);
        at = rest;
        rest = right;
      } else {
        at = right;
      }
    }
    for (int steps = 0; at != 0; steps++) {
      settle(at);
      at = next(at, PARENT, steps);
    }
    return root;
  }

  /**
   * Makes left and right of an index what they have to be, and its rank what follows from it.
   *
   * @return whether the rank changed
   */
  private boolean settle(int at) {
    int left = get(at, LEFT);
    int right = get(at, RIGHT);
    if (rank(left) < rank(right)) {
      set(at, LEFT, right);
      set(at, RIGHT, left);
      right = left;
    }
    int rank = rank(right) + 1;
    if (rank == rank(at)) {
      return false;
    }
    set(at, RANK, rank);
    return true;
  }

  /** Bytes of all pages, and of what leads to them. */
  public long usedBytes() {
    return (long) pages.units() * SlabAllocator.UNIT_BYTES;
  }

  /** The pages, for checks. */
  public IndexPages pages() {
    return pages;
  }

  /**
   * A link or the rank of any index, for checks.
   *
   * @return 0 if the index has none
   */
  public int field(int index, int field) {
    return pages.page(index) == 0 ? 0 : get(index + 1, field);
  }

  /** The rank of an index; 0 of none. */
  private int rank(int link) {
    return link == 0 ? 0 : get(link, RANK);
  }

  private int next(int link, int field, int steps) {
    if (steps > MOST_STEPS) {
      throw new IllegalStateException("links of entries with one address lead in a circle");
    }
    return get(link, field);
  }

  private int get(int link, int field) {
    int page = pages.page(link - 1);
    return allocator.segment(page).get(JAVA_INT, offset(page, link) + field);
  }

  private void set(int link, int field, int to) {
    int page = pages.page(link - 1);
    allocator.segment(page).set(JAVA_INT, offset(page, link) + field, to);
  }

  private long offset(int page, int link) {
    return allocator.offset(page) + (long) (link - 1 & (1 << IndexPages.PAGE_BITS) - 1) * BYTES;
  }
}
