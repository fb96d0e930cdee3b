// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.IndexPages;

/** Checks the heaps of entries with one address ({@link DuplicateHeap}), which only writers use. */
final class HeapCheck extends MemoryCheck {
  private final DuplicateHeap heap;

  /** Entries that have a parent. */
  private int below;

  HeapCheck(DuplicateHeap heap, Claims claims) {
    super(claims, true);
    this.heap = heap;
  }

  /** Checks all heaps; returns how many entries are in them and are not their roots. */
  int check() {
    if (new PageCheck(heap.pages(), "links of duplicates", claims, true).check()) {
      heap.pages()
          .forEach((unit, units, first, isPage) -> {
            for (int i = 0; isPage && i < 1 << IndexPages.PAGE_BITS; i++) {
              check(first + i);
            }
            return true;
          });
    }
    return below;
  }

  private void check(int index) {
    int left = child(index, DuplicateHeap.LEFT);
    int right = child(index, DuplicateHeap.RIGHT);
    int parent = heap.field(index, DuplicateHeap.PARENT);
    int rank = rank(index + 1);
    if (rank == 0 ? (left | right | parent) != 0 : rank != rank(right) + 1) {
      findings.add("index " + index + " has rank " + rank + " among duplicates");
    } else if (rank(left) < rank(right)) {
      findings.add("index " + index + " has duplicates in the wrong order");
    }
    if (parent != 0) {
      below++;
      if (heap.field(parent - 1, DuplicateHeap.LEFT) != index + 1
          && heap.field(parent - 1, DuplicateHeap.RIGHT) != index + 1) {
        findings.add("index " + index + " has a wrong parent among duplicates");
      }
    }
  }

  private int child(int index, int which) {
    int link = heap.field(index, which);
    if (link != 0
        && (link - 1 <= index || heap.field(link - 1, DuplicateHeap.PARENT) != index + 1)) {
      findings.add("index " + index + " has a wrong link among duplicates");
      return 0;
    }
    return link;
  }

  private int rank(int link) {
    return link == 0 ? 0 : heap.field(link - 1, DuplicateHeap.RANK);
  }
}
