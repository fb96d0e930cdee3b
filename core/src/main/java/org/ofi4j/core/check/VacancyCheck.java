// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.ofi4j.core.free.Vacancies;
import org.ofi4j.core.free.VacancyBlocks;
import org.ofi4j.core.free.VacancyDirectory;
import org.ofi4j.core.free.VacancyWord;
import org.ofi4j.core.free.VacantArrays;
import org.ofi4j.core.free.VacantBitmaps;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.Lives;

/** Looks at all that is said of vacant indices ({@link Vacancies}), whatever their memory has. */
final class VacancyCheck {
  /** Takes intervals of indices of one block that are said to be vacant. */
  @FunctionalInterface
  interface Interval {
    /**
     * An interval.
     *
     * @param from its first index
     * @param to one more than its last one, as a long
     */
    void vacant(int from, long to);
  }

  private final SlabAllocator allocator;
  private final Claims claims;
  private final Findings findings;
  private final boolean whole;
  private final Interval intervals;
  private final MemorySegment root;
  private final VacantArrays arrays;
  private final Map<Integer, Integer> strays = new HashMap<>();
  private long vacant;
  private long arrayUnits;
  private long directoryUnits;
  private boolean lost;

  /**
   * For one store.
   *
   * @param allocator where it is
   * @param claims what memory is used for
   * @param findings what is wrong
   * @param whole whether what only writers go by must be right too
   * @param intervals takes what is vacant
   */
  VacancyCheck(
      SlabAllocator allocator,
      Claims claims,
      Findings findings,
      boolean whole,
      Interval intervals) {
    this.allocator = allocator;
    this.claims = claims;
    this.findings = findings;
    this.whole = whole;
    this.intervals = intervals;
    this.root = allocator.root();
    this.arrays = new VacantArrays(allocator);
  }

  /**
   * Looks at everything.
   *
   * @return whether it can be asked what is vacant
   */
  boolean check() {
    long top = root.get(JAVA_LONG, Superblock.VACANCIES);
    int room = VacancyDirectory.topRoom(top);
    int unit = VacancyDirectory.topUnit(top);
    int topUnits = VacancyDirectory.topUnits(room);
    if (top == 0) {
      return true;
    }
    // Its size is rounded up, beyond all leaves there can be.
    if (room <= 0
        || room > 2 * VacancyDirectory.LEAVES
        || !claims.units(unit, topUnits, "the top of the vacancies")) {
      findings.add("the top of the vacancies has room for " + room);
      return false;
    }
    directoryUnits += topUnits;
    boolean sound = true;
    for (int number = 0; number < room; number++) {
      long offset = allocator.offset(unit) + VacancyDirectory.inTop(number);
      int leaf = allocator.segment(unit).get(JAVA_INT, offset);
      if (leaf != 0) {
        directoryUnits += VacancyDirectory.LEAF_UNITS;
        sound &=
            number < VacancyDirectory.LEAVES
                && claims.units(
                    leaf, VacancyDirectory.LEAF_UNITS, "leaf " + number + " of the vacancies")
                && checkLeaf(number, leaf);
      } else if (whole && isMarked(number)) {
        findings.add("leaf " + number + " of the vacancies is marked, and not there");
      }
    }
    if (whole) {
      findings.same("units of vacancies", root.get(JAVA_INT, Superblock.VACANCY_UNITS), arrayUnits);
    }
    return sound;
  }

  private boolean isMarked(int number) {
    return number < VacancyDirectory.LEAVES
        && (root.get(JAVA_LONG, VacancyDirectory.leafMarks(number)) >>> number & 1) != 0;
  }

  private boolean checkLeaf(int number, int leaf) {
    MemorySegment segment = allocator.segment(leaf);
    long base = allocator.offset(leaf);
    int marks = segment.get(JAVA_INT, base + VacancyDirectory.MARKS);
    boolean sound = true;
    if (whole && isMarked(number) != (marks != 0)) {
      findings.add(
          "leaf "
              + number
              + " of the vacancies has marks "
              + marks
              + ", and its own is "
              + isMarked(number));
    }
    for (int i = 0; i < VacancyDirectory.LEAF_BLOCKS; i++) {
      int block = number * VacancyDirectory.LEAF_BLOCKS + i;
      long at = base + VacancyDirectory.inLeaf(block);
      long word = segment.get(JAVA_LONG, at + VacancyDirectory.WORD);
      if (whole && (word != 0) != ((marks >>> i & 1) != 0)) {
        findings.add("block " + block + " of the vacancies has a wrong mark");
      }
      int counted = segment.get(JAVA_INT, at + VacancyDirectory.STRAYS);
      if (counted != 0) {
        strays.put(block, counted);
      }
      long window = segment.get(JAVA_LONG, at + VacancyDirectory.WINDOW);
      if (!Lives.isWindow(window)) {
        findings.add("block " + block + " of the vacancies has window " + window);
      }
      lost |= VacancyWord.isLost(word);
      sound &= checkWord(block, word, segment.get(JAVA_INT, at + VacancyDirectory.SUMMARY));
    }
    return sound;
  }

  private boolean checkWord(int block, long word, int summary) {
    int first = block << VacancyDirectory.BLOCK_BITS;
    return switch (VacancyWord.kind(word)) {
      case VacancyWord.NONE -> plain(block, word, VacancyWord.LOST);
      case VacancyWord.ALL -> {
        interval(first, (long) first + VacancyBlocks.SIZE);
        yield plain(block, word, VacancyWord.ALL_VACANT | VacancyWord.LOST);
      }
      case VacancyWord.ARRAY -> checkArray(block, word, first);
      default -> checkBitmap(block, word, summary, first);
    };
  }

  private boolean plain(int block, long word, long bits) {
    if ((word & ~bits) != 0) {
      findings.add("block " + block + " of the vacancies has word " + Long.toHexString(word));
      return false;
    }
    return true;
  }

  private boolean checkArray(int block, long word, int first) {
    int unit = VacancyWord.unit(word);
    int units = VacancyWord.units(word);
    int start = VacancyWord.start(word);
    int count = VacancyWord.count(word);
    String what = "the array of block " + block + " of the vacancies";
    if (start + count > units * VacantArrays.PER_UNIT || count == 0) {
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
    int unit = VacancyWord.unit(word);
    String what = "the bitmap of block " + block + " of the vacancies";
    if (!plain(block, word, VacancyWord.bitmap(Integer.MAX_VALUE) | VacancyWord.LOST)
        || !claims.units(unit, VacantBitmaps.UNITS, what)
        || (whole
            && !claims.units(
                summary,
                SlabAllocator.sizeOf(VacantBitmaps.SUMMARY_UNITS),
                "the summary of " + what))) {
      return false;
    }
    arrayUnits += VacantBitmaps.UNITS + VacantBitmaps.SUMMARY_UNITS;
    int count = 0;
    int tops = 0;
    for (int i = 0; i < VacantBitmaps.WORDS; i++) {
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
        long at = allocator.offset(summary) + VacantBitmaps.inSummary(i);
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
          allocator.segment(summary).get(JAVA_INT, at + VacantBitmaps.COUNT),
          count);
      findings.same(
          "the top of the summary of " + what,
          allocator.segment(summary).get(JAVA_INT, at + VacantBitmaps.TOP),
          tops);
    }
    return true;
  }

  private void interval(int from, long to) {
    vacant += to - from;
    intervals.vacant(from, to);
  }

  /** How many indices are recorded as vacant. */
  long vacant() {
    return vacant;
  }

  /** Whether some that are vacant could not be recorded. */
  boolean isLost() {
    return lost;
  }

  /** How many strays blocks say that they have. */
  Map<Integer, Integer> strays() {
    return strays;
  }

  /** Units of tops that were outgrown, which nothing uses. */
  long outgrown() {
    return root.get(JAVA_INT, Superblock.VACANCY_DIRECTORY_UNITS) - directoryUnits;
  }
}
