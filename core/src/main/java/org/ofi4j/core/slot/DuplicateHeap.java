// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

/**
 * The entries that have one address, if there are several: leftist heaps of indices, so that the
 * lowest one is at hand whatever comes and goes. The reverse index knows of each heap the root
 * alone; the links are in the side records, each the number of a record plus 1, 0 being none.
 *
 * <pre>
 *           root                 each index is below those under it
 *          ╱    ╲
 *       left    right            rank: how many steps to the right there are before none is left;
 *       ╱  ╲                     that of the left one is never less than that of the right one
 *    left  right
 * </pre>
 *
 * <p>So going right from any index of n in a heap ends after log<sub>2</sub> (n + 1) steps, and
 * each operation takes at most a few times as many: no order of coming and going makes a single one
 * long. Nothing recurses. For one thread at a time; readers never come here.
 */
public record DuplicateHeap(SideRecords side) {
  private static final int LEFT = SideRecords.LEFT;
  private static final int RIGHT = SideRecords.RIGHT;
  private static final int PARENT = SideRecords.PARENT;

  /** Whether an index with a side record has or had companions. */
  public boolean contains(int index) {
    return side.isDuplicate(index);
  }

  public boolean isRoot(int index) {
    return get(side.record(index) + 1, PARENT) == 0;
  }

  /**
   * Adds an index.
   *
   * @param root the root, or an index that was alone so far; with a side record
   * @param index the index to add; with a fresh side record
   * @return the root from now on
   */
  public int insert(int root, int index) {
    side.setDuplicate(root);
    int link = side.record(root) + 1;
    side.setDuplicate(index);
    return index(meld(link, side.record(index) + 1));
  }

  /** Lets an index that was removed be as one with a fresh side record. */
  public void detach(int index) {
    int link = side.record(index) + 1;
    set(link, LEFT, 0);
    set(link, RIGHT, 0);
    set(link, PARENT, 0);
    side.setRank(link - 1, 0);
  }

  /** Removes the root; the root from now on, or -1 if the heap is empty. */
  public int removeRoot(int root) {
    int rest = meldChildren(side.record(root) + 1);
    return rest == 0 ? -1 : index(rest);
  }

  /** Removes an index that is not the root, which stays the root. */
  public void remove(int index) {
    int link = side.record(index) + 1;
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
    while (at != 0 && settle(at)) {
      at = get(at, PARENT);
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
    boolean inOrder = index(one) < index(other);
    int root = inOrder ? one : other;
    // Down the right of both: whichever is less comes next.
    int at = root;
    int rest = inOrder ? other : one;
    while (rest != 0) {
      int right = get(at, RIGHT);
      if (right == 0 || index(rest) < index(right)) {
        set(at, RIGHT, rest);
        set(rest, PARENT, at);
        at = rest;
        rest = right;
      } else {
        at = right;
      }
    }
    while (at != 0) {
      settle(at);
      at = get(at, PARENT);
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
    if (rank == side.rank(at - 1)) {
      return false;
    }
    side.setRank(at - 1, rank);
    return true;
  }

  /** The rank of an index, 0 if nothing is right of it; -1 of none. */
  private int rank(int link) {
    return link == 0 ? -1 : side.rank(link - 1);
  }

  private int index(int link) {
    return side.indexOf(link - 1);
  }

  private int get(int link, int which) {
    return side.link(link - 1, which);
  }

  private void set(int link, int which, int to) {
    side.setLink(link - 1, which, to);
  }
}
