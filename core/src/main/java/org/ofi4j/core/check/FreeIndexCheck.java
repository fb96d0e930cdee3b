// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Checks the tree of free indices ({@link FreeIndices}), whatever its memory contains. Only the
 * writer reads the tree, and a writer that follows one that died rebuilds it. So the tree is not
 * checked unless the last change is known to be complete.
 */
final class FreeIndexCheck extends MemoryCheck {
  private static final int FAN = 1 << FreeIndices.FAN_BITS;

  /** Takes intervals of free indices, each within 64. */
  @FunctionalInterface
  interface Interval {
    /** An interval from its first index to one more than its last one. */
    void free(int from, long to);
  }

  private final Interval intervals;
  private final MemorySegment root;
  private long free;
  private long units;
  private boolean sound = true;

  FreeIndexCheck(Claims claims, boolean whole, Interval intervals) {
    super(claims, whole);
    this.intervals = intervals;
    this.root = allocator.root();
  }

  /**
   * Checks the tree.
   *
   * @return whether {@link FreeIndices#isFree} can be called
   */
  boolean check() {
    long tree = root.get(JAVA_LONG, Superblock.FREE_INDICES);
    if (!whole) {
      return true;
    }
    if (tree != 0 && !FreeIndices.isTree(tree)) {
      findings.add("the root of the free indices is " + Long.toHexString(tree));
      return false;
    }
    compare("all", root.get(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY), tree == 0 ? 0 : root(tree));
    findings.same("units of free indices", root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS), units);
    return sound;
  }

  /** Checks a tree; returns the summary of its root. */
  private long root(long tree) {
    int height = FreeIndices.height(tree);
    return height == 0
        ? leaf(FreeIndices.unit(tree), FreeIndices.rootLeafUnits(tree), 0)
        : node(height, FreeIndices.unit(tree), 0);
  }

  /** Checks a node and all below it; returns its summary. */
  private long node(int level, int unit, long first) {
    if (!claim(unit, FreeIndices.NODE_UNITS, first)) {
      return 0;
    }
    MemorySegment segment = allocator.segment(unit);
    long offset = allocator.offset(unit);
    long summary = 0;
    for (int i = 0; i < FAN; i++) {
      long from = first + ((long) i << ((level + 1) * FreeIndices.FAN_BITS));
      int child = segment.get(JAVA_INT, offset + FreeIndices.CHILDREN + (long) i * Integer.BYTES);
      long stored = segment.get(JAVA_LONG, offset + (long) i * Long.BYTES);
      long counted = 0;
      if (child != 0) {
        counted =
            level == 1 ? leaf(child, FreeIndices.LEAF_UNITS, from) : node(level - 1, child, from);
      }
      compare("indices from " + from, stored, counted);
      summary |= counted == 0 ? 0 : 1L << i;
    }
    return summary;
  }

  /** Checks a leaf; returns its summary. */
  private long leaf(int unit, int units, long first) {
    if (!claim(unit, units, first)) {
      return 0;
    }
    long summary = 0;
    for (int i = 0; i < units * SlabAllocator.UNIT_BYTES / Long.BYTES; i++) {
      long place = allocator.offset(unit) + (long) i * Long.BYTES;
      long bits = allocator.segment(unit).get(JAVA_LONG, place);
      checkBits(first + (long) i * Long.SIZE, bits);
      summary |= bits == 0 ? 0 : 1L << i;
    }
    return summary;
  }

  private boolean claim(int unit, int units, long first) {
    this.units += units;
    boolean claimed =
        first <= Integer.MAX_VALUE && claims.units(unit, units, "the free indices from " + first);
    if (first > Integer.MAX_VALUE) {
      findings.add("the free indices go on at " + first);
    }
    sound &= claimed;
    return claimed;
  }

  private void compare(String what, long stored, long counted) {
    if (stored != counted) {
      findings.add(
          "the summary of the free indices, %s: stored %x, counted %x"
              .formatted(what, stored, counted));
    }
  }

  private void checkBits(long first, long bits) {
    for (long rest = bits; rest != 0; ) {
      int from = Long.numberOfTrailingZeros(rest);
      long above = ~rest & -1L << from;
      int to = above == 0 ? Long.SIZE : Long.numberOfTrailingZeros(above);
      free += to - from;
      intervals.free((int) first + from, first + to);
      rest = to == Long.SIZE ? 0 : rest & -1L << to;
    }
  }

  /** Returns the number of indices that are recorded as free. */
  long free() {
    return free;
  }
}
