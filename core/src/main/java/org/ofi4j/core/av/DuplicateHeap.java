package org.ofi4j.core.av;

/**
 * The entries that have one address, if there are several: pairing heaps of indices, so that the
 * lowest one is at hand whatever comes and goes. The reverse index knows of each heap the root
 * alone; the links are in the side records, each the number of a record plus 1, 0 being none.
 *
 * <pre>
 *   root ── child ── next ── next        previous leads back: of a first child to its parent,
 *             └─ child ── next           of the others to the sibling before; 0 marks the root
 * </pre>
 *
 * <p>Inserting costs O(1), removing O(log n) amortised, and nothing recurses. For one thread at a
 * time; readers never come here.
 */
final class DuplicateHeap {
  private static final int CHILD = SideRecords.CHILD;
  private static final int NEXT = SideRecords.NEXT;
  private static final int PREVIOUS = SideRecords.PREVIOUS;

  private final SideRecords side;

  DuplicateHeap(SideRecords side) {
    this.side = side;
  }

  /** Whether an index with a side record has or had companions. */
  boolean contains(int index) {
    return side.isDuplicate(index);
  }

  /** Whether an index of a heap is its lowest. */
  boolean isRoot(int index) {
    return get(side.record(index) + 1, PREVIOUS) == 0;
  }

  /**
   * Adds an index.
   *
   * @param root the root, or an index that was alone so far; with a side record
   * @param index the index to add; with a fresh side record
   * @return the root from now on
   */
  int insert(int root, int index) {
    side.setDuplicate(root);
    int link = side.record(root) + 1;
    side.setDuplicate(index);
    meld(link, side.record(index) + 1);
    return Math.min(root, index);
  }

  /**
   * Removes the root.
   *
   * @param root the root
   * @return the root from now on, or -1 if the heap is empty
   */
  int removeRoot(int root) {
    int rest = mergeSiblings(get(side.record(root) + 1, CHILD));
    return rest == 0 ? -1 : index(rest);
  }

  /**
   * Removes an index that is not the root.
   *
   * @param root the root, which stays the root
   * @param index the index
   */
  void remove(int root, int index) {
    int link = side.record(index) + 1;
    int previous = get(link, PREVIOUS);
    int next = get(link, NEXT);
    set(previous, get(previous, CHILD) == link ? CHILD : NEXT, next);
    if (next != 0) {
      set(next, PREVIOUS, previous);
    }
    int orphans = mergeSiblings(get(link, CHILD));
    if (orphans != 0) {
      meld(side.record(root) + 1, orphans);
    }
  }

  /** Makes the larger of two roots the first child of the smaller, and answers that. */
  private int meld(int one, int other) {
    boolean inOrder = index(one) < index(other);
    int low = inOrder ? one : other;
    int high = inOrder ? other : one;
    int sibling = get(low, CHILD);
    set(high, NEXT, sibling);
    if (sibling != 0) {
      set(sibling, PREVIOUS, high);
    }
    set(high, PREVIOUS, low);
    set(low, CHILD, high);
    return low;
  }

  /** Melds siblings two by two, then all pairs into one; answers its root. */
  private int mergeSiblings(int first) {
    int pairs = 0;
    int rest = first;
    while (rest != 0) {
      int one = rest;
      int other = get(one, NEXT);
      int pair = one;
      rest = 0;
      if (other != 0) {
        rest = get(other, NEXT);
        pair = meld(one, other);
      }
      set(pair, NEXT, pairs);
      pairs = pair;
    }
    int root = 0;
    while (pairs != 0) {
      int pair = pairs;
      pairs = get(pair, NEXT);
      root = root == 0 ? pair : meld(root, pair);
    }
    if (root != 0) {
      set(root, NEXT, 0);
      set(root, PREVIOUS, 0);
    }
    return root;
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
