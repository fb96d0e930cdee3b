package org.ofi4j.core.av;

/**
 * The entries that have one address, if there are several: pairing heaps of indices, so that the
 * lowest one is at hand whatever comes and goes. The reverse index knows of each heap the root
 * alone; the links are in the side records, each an index plus 1, 0 being none.
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
    return side.previous(index) == 0;
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
    side.setDuplicate(index);
    return meld(root + 1, index + 1) - 1;
  }

  /**
   * Removes the root.
   *
   * @param root the root
   * @return the root from now on, or -1 if the heap is empty
   */
  int removeRoot(int root) {
    return mergeSiblings(side.child(root)) - 1;
  }

  /**
   * Removes an index that is not the root.
   *
   * @param root the root, which stays the root
   * @param index the index
   */
  void remove(int root, int index) {
    int previous = side.previous(index) - 1;
    int next = side.next(index);
    if (side.child(previous) == index + 1) {
      side.setChild(previous, next);
    } else {
      side.setNext(previous, next);
    }
    if (next != 0) {
      side.setPrevious(next - 1, previous + 1);
    }
    int orphans = mergeSiblings(side.child(index));
    if (orphans != 0) {
      meld(root + 1, orphans);
    }
  }

  /** Makes the larger of two roots the first child of the smaller. */
  private int meld(int one, int other) {
    int low = Math.min(one, other);
    int high = Math.max(one, other);
    int sibling = side.child(low - 1);
    side.setNext(high - 1, sibling);
    if (sibling != 0) {
      side.setPrevious(sibling - 1, high);
    }
    side.setPrevious(high - 1, low);
    side.setChild(low - 1, high);
    return low;
  }

  /** Melds siblings two by two, then all pairs into one; answers its root. */
  private int mergeSiblings(int first) {
    int pairs = 0;
    int rest = first;
    while (rest != 0) {
      int one = rest;
      int other = side.next(one - 1);
      int pair = one;
      rest = 0;
      if (other != 0) {
        rest = side.next(other - 1);
        pair = meld(one, other);
      }
      side.setNext(pair - 1, pairs);
      pairs = pair;
    }
    int root = 0;
    while (pairs != 0) {
      int pair = pairs;
      pairs = side.next(pair - 1);
      root = root == 0 ? pair : meld(root, pair);
    }
    if (root != 0) {
      side.setNext(root - 1, 0);
      side.setPrevious(root - 1, 0);
    }
    return root;
  }
}
