// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.ofi4j.core.free.ArrayContainers;
import org.ofi4j.core.free.BitmapContainers;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexWord;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.Generations;

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
  private final ArrayContainers arrays;
  private final Map<Integer, Integer> overflowSlots = new HashMap<>();
  private long free;
  private long arrayUnits;
  private long directoryUnits;
  private boolean unrecorded;

  FreeIndexCheck(Claims claims, boolean whole, Interval intervals) {
    super(claims, whole);
    this.intervals = intervals;
    this.root = allocator.root();
    this.arrays = new ArrayContainers(allocator);
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
          "units of free indices", root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS), arrayUnits);
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
    int marks = segment.get(JAVA_INT, base + FreeIndexDirectory.MARKED_BLOCKS);
    boolean sound = true;
    if (whole && isMarked(number) != (marks != 0)) {
      findings.add(
          "leaf %s of the free indices has marks %s, and its own is %s"
              .formatted(number, marks, isMarked(number)));
    }
    for (int i = 0; i < FreeIndexDirectory.LEAF_BLOCKS; i++) {
      int block = number * FreeIndexDirectory.LEAF_BLOCKS + i;
      long at = base + FreeIndexDirectory.inLeaf(block);
      long word = segment.get(JAVA_LONG, at + FreeIndexDirectory.WORD);
      if (whole && (word != 0) != ((marks >>> i & 1) != 0)) {
        findings.add("block " + block + " of the free indices has a wrong mark");
      }
      int counted = segment.get(JAVA_INT, at + FreeIndexDirectory.OVERFLOW_SLOTS);
      if (counted != 0) {
        overflowSlots.put(block, counted);
      }
      long window = segment.get(JAVA_LONG, at + FreeIndexDirectory.WINDOW);
      if (!Generations.isWindow(window)) {
        findings.add("block " + block + " of the free indices has window " + window);
      }
      unrecorded |= FreeIndexWord.hasUnrecorded(word);
      sound &= checkWord(block, word, segment.get(JAVA_INT, at + FreeIndexDirectory.SUMMARY));
    }
    return sound;
  }

  private boolean checkWord(int block, long word, int summary) {
    int first = block << FreeIndexDirectory.BLOCK_BITS;
    return switch (FreeIndexWord.kind(word)) {
      case FreeIndexWord.NONE -> plain(block, word, FreeIndexWord.UNRECORDED);
      case FreeIndexWord.ALL -> {
        interval(first, (long) first + FreeIndexDirectory.BLOCK_SIZE);
        yield plain(block, word, FreeIndexWord.ALL_FREE | FreeIndexWord.UNRECORDED);
      }
      case FreeIndexWord.ARRAY -> checkArray(block, word, first);
      default -> checkBitmap(block, word, summary, first);
    };
  }

  private boolean plain(int block, long word, long bits) {
    if ((word & ~bits) != 0) {
      findings.add("block " + block + " of the free indices has word " + Long.toHexString(word));
      return false;
    }
    return true;
  }

  private boolean checkArray(int block, long word, int first) {
    int unit = FreeIndexWord.unit(word);
    int units = FreeIndexWord.units(word);
    int start = FreeIndexWord.start(word);
    int count = FreeIndexWord.count(word);
    String what = "the array of block " + block + " of the free indices";
    if (start + count > units * ArrayContainers.PER_UNIT || count == 0) {
      findings.add(what + " has word " + Long.toHexString(word));
      return false;
    }
    if (!claims.units(unit, units, what)) {
      return false;
    }
    arrayUnits += units;
    int before = -1;
    for (int i = count - 1; i >= 0; i--) {
      int low = arrays.at(word, i);
      if (low <= before) {
        findings.add(what + " is not in order at " + i);
        return false;
      }
      interval(first + low, first + low + 1L);
      before = low;
    }
    return true;
  }

  private boolean checkBitmap(int block, long word, int summary, int first) {
    int unit = FreeIndexWord.unit(word);
    String what = "the bitmap of block " + block + " of the free indices";
    if (!plain(block, word, FreeIndexWord.bitmap(Integer.MAX_VALUE) | FreeIndexWord.UNRECORDED)
        || !claims.units(unit, BitmapContainers.UNITS, what)
        || (whole
            && !claims.units(
                summary,
                SlabAllocator.sizeOf(BitmapContainers.SUMMARY_UNITS),
                "the summary of " + what))) {
      return false;
    }
    arrayUnits += BitmapContainers.UNITS + BitmapContainers.SUMMARY_UNITS;
    int count = 0;
    int tops = 0;
    for (int i = 0; i < BitmapContainers.WORDS; i++) {
      long bits =
          allocator.segment(unit).get(JAVA_LONG, allocator.offset(unit) + (long) i * Long.BYTES);
      int base = first + i * Long.SIZE;
      count += Long.bitCount(bits);
      for (long rest = bits; rest != 0; ) {
        int from = Long.numberOfTrailingZeros(rest);
        long above = ~rest & -1L << from;
        int to = above == 0 ? Long.SIZE : Long.numberOfTrailingZeros(above);
        interval(base + from, (long) base + to);
        rest = to == Long.SIZE ? 0 : rest & -1L << to;
      }
      if (whole) {
        long at = allocator.offset(summary) + BitmapContainers.inSummary(i);
        long words = allocator.segment(summary).get(JAVA_LONG, at);
        tops |= words != 0 ? 1 << (i >>> 6) : 0;
        if ((words >>> i & 1) != (bits == 0 ? 0 : 1)) {
          findings.add("the summary of " + what + " is wrong of word " + i);
        }
      }
    }
    if (whole) {
      long at = allocator.offset(summary);
      findings.same(
          "the count of " + what,
          allocator.segment(summary).get(JAVA_INT, at + BitmapContainers.COUNT),
          count);
      findings.same(
          "the top of the summary of " + what,
          allocator.segment(summary).get(JAVA_INT, at + BitmapContainers.TOP),
          tops);
    }
    return true;
  }

  private void interval(int from, long to) {
    free += to - from;
    intervals.free(from, to);
  }

  /** How many indices are recorded as free. */
  long free() {
    return free;
  }

  /** Whether some that are free could not be recorded. */
  boolean hasUnrecorded() {
    return unrecorded;
  }

  /** How many overflow slots blocks say that they have. */
  Map<Integer, Integer> overflowSlots() {
    return overflowSlots;
  }

  /** Units of tops that were outgrown, which nothing uses. */
  long outgrown() {
    return root.get(JAVA_INT, Superblock.FREE_INDEX_DIRECTORY_UNITS) - directoryUnits;
  }
}
