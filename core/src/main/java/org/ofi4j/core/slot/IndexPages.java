// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Pages for data that few indices have. Each 64 successive indices have a page as soon as one of
 * them needs it. Five levels of nodes with 32 references lead to it:
 *
 * <pre>
 *   superblock  unit of the first node (4) | units of all nodes and pages (4)
 *   node        unit of the node or page below, or 0, for each value of five bits of the index: 128 bytes
 *   index       30 ... 26   25 ... 21   20 ... 16   15 ... 11   10 ... 6   5 ... 0
 *               1st node    2nd         3rd         4th         5th        place in the page
 * </pre>
 *
 * <p>A reference changes once, from 0. Nodes and pages are never freed, so a reader that has one
 * need not check it again. One thread at a time makes pages; any thread finds them.
 */
public final class IndexPages {
  /** Indices of a page, as a power of two. */
  public static final int PAGE_BITS = 6;

  public static final int NODE_UNITS = 2;

  /** References of a node, as a power of two. */
  public static final int NODE_BITS = 5;

  private static final int TOP_SHIFT = PAGE_BITS + 4 * NODE_BITS;
  private static final int NODE_MASK = (1 << NODE_BITS) - 1;

  private final SlabAllocator allocator;
  private final MemorySegment root;
  private final long place;
  private final int pageUnits;

  /**
   * Pages of one kind.
   *
   * @param place where the superblock has the unit of the first node
   * @param pageUnits units of a page
   */
  IndexPages(SlabAllocator allocator, long place, int pageUnits) {
    this.allocator = allocator;
    this.root = allocator.root();
    this.place = place;
    this.pageUnits = pageUnits;
  }

  /** The first unit of the page of any number, or 0 if it has none; for any thread. */
  int page(int index) {
    int unit = index < 0 ? 0 : SegmentAccess.intAcquire(root, place);
    for (int shift = TOP_SHIFT; unit != 0 && shift >= PAGE_BITS; shift -= NODE_BITS) {
      unit = SegmentAccess.intAcquire(allocator.segment(unit), reference(unit, index, shift));
    }
    return unit;
  }

  /**
   * Makes sure that an index has a page.
   *
   * @return its first unit
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  int ensure(int index) {
    MemorySegment segment = root;
    long offset = place;
    for (int shift = TOP_SHIFT; ; shift -= NODE_BITS) {
      int unit = segment.get(JAVA_INT, offset);
      if (unit == 0) {
        int units = shift < PAGE_BITS ? pageUnits : NODE_UNITS;
        unit = allocator.allocate(units);
        SegmentAccess.intRelease(segment, offset, unit);
        root.set(JAVA_INT, place + Integer.BYTES, units() + units);
      }
      if (shift < PAGE_BITS) {
        return unit;
      }
      segment = allocator.segment(unit);
      offset = reference(unit, index, shift);
    }
  }

  /** Begins without pages. The memory of those before is no longer this object's. */
  void clear() {
    root.set(JAVA_LONG, place, 0);
  }

  /** Counts the units of all nodes and pages again, for a writer that follows one that died. */
  void recount() {
    root.set(JAVA_INT, place + Integer.BYTES, forEach((unit, units, first, isPage) -> true));
  }

  /** How many units all nodes and pages have. */
  public int units() {
    return root.get(JAVA_INT, place + Integer.BYTES);
  }

  private long reference(int node, int index, int shift) {
    return allocator.offset(node) + (long) (index >>> shift & NODE_MASK) * Integer.BYTES;
  }

  /** Takes nodes and pages. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Takes a node or a page.
     *
     * @param unit its first unit
     * @param units how many it has
     * @param first its first index
     * @param isPage whether it is a page
     * @return whether what is below is to be visited
     */
    boolean visit(int unit, int units, int first, boolean isPage);
  }

  /**
   * Visits all nodes and pages, those with lower indices first and nodes before what is below.
   *
   * @return the units of all that were visited
   */
  public int forEach(Visitor visitor) {
    return visit(root.get(JAVA_INT, place), 0, TOP_SHIFT, visitor);
  }

  private int visit(int unit, int first, int shift, Visitor visitor) {
    boolean isPage = shift < PAGE_BITS;
    int units = unit == 0 ? 0 : isPage ? pageUnits : NODE_UNITS;
    if (unit == 0 || !visitor.visit(unit, units, first, isPage) || isPage) {
      return units;
    }
    for (int i = 0; i <= NODE_MASK; i++) {
      int below =
          allocator.segment(unit).get(JAVA_INT, allocator.offset(unit) + (long) i * Integer.BYTES);
      units += visit(below, first | i << shift, shift - NODE_BITS, visitor);
    }
    return units;
  }
}
