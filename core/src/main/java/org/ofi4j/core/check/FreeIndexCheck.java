// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.free.FreeBitmaps;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.Superblock;

/** Looks at all that is said of free indices ({@link FreeIndices}), whatever their memory has. */
final class FreeIndexCheck extends MemoryCheck {
  /** Takes intervals of indices of one block that are said to be free. */
  @FunctionalInterface
  interface Interval {
    /** An interval from its first index to one more than its last one. */
    void free(int from, long to);
  }

  private final Interval intervals;
  private final MemorySegment root;
  private final FreeBitmaps bitmaps;
  private long free;
  private long bitmapUnits;
  private long directoryUnits;

  FreeIndexCheck(Claims claims, boolean whole, Interval intervals) {
    super(claims, whole);
    this.intervals = intervals;
    this.root = allocator.root();
    this.bitmaps = new FreeBitmaps(allocator);
  }

  /** Looks at everything; whether it can be asked what is free. */
  boolean check() {
    long top = root.get(JAVA_LONG, Superblock.FREE_INDICES);
    int room = FreeIndexDirectory.topRoom(top);
    int unit = FreeIndexDirectory.topUnit(top);
    int topUnits = FreeIndexDirectory.topUnits(room);
    if (top == 0) {
      return true;
    }
    // Its size is rounded up, beyond all leaves there can be.
    if (room <= 0
        || room > 2 * FreeIndexDirectory.LEAVES
        || !claims.units(unit, topUnits, "the top of the free indices")) {
      findings.add("the top of the free indices has room for " + room);
      return false;
    }
    directoryUnits += topUnits;
    boolean sound = true;
    for (int number = 0; number < room; number++) {
      long offset = allocator.offset(unit) + FreeIndexDirectory.inTop(number);
      int leaf = allocator.segment(unit).get(JAVA_INT, offset);
      if (leaf != 0) {
        directoryUnits += FreeIndexDirectory.LEAF_UNITS;
        sound &=
            number < FreeIndexDirectory.LEAVES
                && claims.units(
                    leaf, FreeIndexDirectory.LEAF_UNITS, "leaf " + number + " of the free indices")
                && checkLeaf(number, leaf);
      } else if (whole && isMarked(number)) {
        findings.add("leaf " + number + " of the free indices is marked, and not there");
      }
    }
    if (whole) {
      findings.same(
          "units of free indices", root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS), bitmapUnits);
    }
    return sound;
  }

  private boolean isMarked(int number) {
    return number < FreeIndexDirectory.LEAVES
        && (root.get(JAVA_LONG, FreeIndexDirectory.leafMarks(number)) >>> number & 1) != 0;
  }

  private boolean checkLeaf(int number, int leaf) {
    MemorySegment segment = allocator.segment(leaf);
    long base = allocator.offset(leaf);
    int marked = segment.get(JAVA_INT, base + FreeIndexDirectory.MARKED_BLOCKS);
    boolean sound = true;
    if (whole && isMarked(number) != (marked != 0)) {
      findings.add(
          "leaf %s of the free indices has marks %s, and its own is %s"
              .formatted(number, marked, isMarked(number)));
    }
    for (int i = 0; i < FreeIndexDirectory.LEAF_BLOCKS; i++) {
      int block = number * FreeIndexDirectory.LEAF_BLOCKS + i;
      long at = base + FreeIndexDirectory.inLeaf(block);
      long word = segment.get(JAVA_LONG, at + FreeIndexDirectory.WORD);
      long marks = segment.get(JAVA_LONG, at + FreeIndexDirectory.MARKS);
      if (whole && (marks != 0) != ((marked >>> i & 1) != 0)) {
        findings.add("block " + block + " of the free indices has a wrong mark");
      }
      sound &= checkWord(block, word, marks);
    }
    return sound;
  }

  private boolean checkWord(int block, long word, long marks) {
    int first = block << FreeIndexDirectory.BLOCK_BITS;
    long free = 0;
    if (word == FreeBitmaps.ALL) {
      interval(first, (long) first + FreeIndexDirectory.BLOCK_SIZE);
      free = -1;
    } else if (word != 0) {
      String what = "the bitmap of block " + block + " of the free indices";
      int room = FreeBitmaps.room(word);
      if (!FreeBitmaps.isBitmap(word)) {
        findings.add(what + " has word " + Long.toHexString(word));
        return false;
      }
      if (!claims.units(FreeBitmaps.unit(word), FreeBitmaps.units(word), what)) {
        return false;
      }
      bitmapUnits += FreeBitmaps.units(word);
      for (int low = 0; low < room; low += Long.SIZE) {
        long bits = bitmaps.bits(word, low);
        free |= bits == 0 ? 0 : 1L << (low >>> FreeIndexDirectory.MARK_BITS);
        checkBits(first + low, bits);
      }
    }
    // A mark comes before what is free and goes after it.
    if (whole ? marks != free : (free & ~marks) != 0) {
      findings.add("block " + block + " of the free indices has a wrong mark");
    }
    return true;
  }

  private void checkBits(int first, long bits) {
    for (long rest = bits; rest != 0; ) {
      int from = Long.numberOfTrailingZeros(rest);
      long above = ~rest & -1L << from;
      int to = above == 0 ? Long.SIZE : Long.numberOfTrailingZeros(above);
      interval(first + from, (long) first + to);
      rest = to == Long.SIZE ? 0 : rest & -1L << to;
    }
  }

  private void interval(int from, long to) {
    free += to - from;
    intervals.free(from, to);
  }

  /** How many indices are recorded as free. */
  long free() {
    return free;
  }

  /** Units of tops that were outgrown, which nothing uses. */
  long outgrown() {
    return root.get(JAVA_INT, Superblock.FREE_INDEX_DIRECTORY_UNITS) - directoryUnits;
  }
}
