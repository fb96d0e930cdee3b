// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.IndexPages;

/**
 * The use of each word of eight bytes of a {@link SlabAllocator}. A word is claimed once, for one
 * use. So a list or tree that leads back to itself ends, too.
 */
final class Claims {
  private static final int UNIT_WORDS = SlabAllocator.UNIT_BYTES / Long.BYTES;
  private static final int SLAB_WORDS = SlabAllocator.MAX_UNITS * UNIT_WORDS;

  final SlabAllocator allocator;
  final Findings findings;

  /** The number of units of which words are claimed. */
  int used;

  /** The claimed words of each slab. */
  private final List<BitSet> slabs = new ArrayList<>();

  Claims(SlabAllocator allocator, Findings findings) {
    this.allocator = allocator;
    this.findings = findings;
  }

  /**
   * Claims units.
   *
   * @param unit the first, which may be any number
   * @return false if they are not in memory, or have another use; that is noted
   */
  boolean units(int unit, int units, String what) {
    int words = Math.clamp((long) units * UNIT_WORDS, 0, Integer.MAX_VALUE);
    return words((long) unit * UNIT_WORDS, words, () -> what);
  }

  /**
   * Claims words.
   *
   * @param place the first: its unit * 8, and which word of the unit
   * @return false if they are not in memory, or have another use; that is noted
   */
  boolean words(long place, int count, Supplier<String> what) {
    boolean present = isPresent(place, count);
    if (!present || !isFree(place, count)) {
      String why = present ? ", where something else is" : ", which is not in memory";
      findings.add(what.get() + " is at unit " + place / UNIT_WORDS + why);
      return false;
    }
    for (int unit = unit(place); unit <= unit(place + count - 1); unit++) {
      used += isUsed(unit) ? 0 : 1;
    }
    slab(place).set(inSlab(place), inSlab(place) + count);
    return true;
  }

  /** Claims all nodes and pages; returns whether words in them can be read. */
  boolean pages(IndexPages pages, String what, boolean whole) {
    long wrong = findings.count;
    int units =
        pages.forEach((unit, count, first, isPage) ->
            units(unit, count, "the " + what + " from index " + first));
    boolean sound = findings.count == wrong;
    if (whole) {
      findings.same("units of " + what, pages.units(), units);
    }
    return sound;
  }

  private boolean isPresent(long place, int count) {
    long units = (place % UNIT_WORDS + count - 1) / UNIT_WORDS + 1;
    return place >= 0
        && place / UNIT_WORDS <= Integer.MAX_VALUE
        && count > 0
        && allocator.has((int) (place / UNIT_WORDS), (int) units);
  }

  /** Returns whether words that are in memory have no use. */
  private boolean isFree(long place, int count) {
    int claimed = slab(place).nextSetBit(inSlab(place));
    return claimed < 0 || claimed >= inSlab(place) + count;
  }

  /** Returns whether words, at any place, have no use, but all of their units have one. */
  boolean isGap(long place, int count) {
    boolean gap = isPresent(place, count) && isFree(place, count);
    for (int unit = unit(place); gap && unit <= unit(place + count - 1); unit++) {
      gap = isUsed(unit);
    }
    return gap;
  }

  /** Returns whether a word of a unit that is in memory has a use. */
  boolean isUsed(int unit) {
    return !isFree((long) unit * UNIT_WORDS, UNIT_WORDS);
  }

  private BitSet slab(long place) {
    int slab = (int) (place / SLAB_WORDS);
    while (slabs.size() <= slab) {
      slabs.add(new BitSet());
    }
    return slabs.get(slab);
  }

  private static int inSlab(long place) {
    return (int) (place % SLAB_WORDS);
  }

  private static int unit(long place) {
    return (int) (place / UNIT_WORDS);
  }

  /** Compares the units in use, then claims free memory, which is all that remains. */
  void checkFree() {
    MemorySegment root = allocator.root();
    long inUse = allocator.usedBytes() / SlabAllocator.UNIT_BYTES;
    findings.same("units in use", inUse, used - Superblock.UNITS);
    int next = root.get(JAVA_INT, Superblock.NEXT_UNITS);
    if (next != 0) {
      units(root.get(JAVA_INT, Superblock.NEXT_UNIT), next, "the next unit");
    }
    for (int sizeClass = 0; SlabAllocator.size(sizeClass) <= SlabAllocator.MAX_UNITS; sizeClass++) {
      int size = SlabAllocator.size(sizeClass);
      int block = root.get(JAVA_INT, SlabAllocator.freeList(sizeClass));
      while (block != 0 && units(block, size, "a free block of " + size + " units")) {
        block = allocator.segment(block).get(JAVA_INT, allocator.offset(block));
      }
    }
    int extent = root.get(JAVA_INT, Superblock.FREE_EXTENTS);
    while (extent != 0 && units(extent, 1, "a free extent")) {
      MemorySegment segment = allocator.segment(extent);
      int more = segment.get(JAVA_INT, allocator.offset(extent) + Integer.BYTES) - 1;
      units(extent + 1, more, "a free extent of " + more + " more units");
      extent = segment.get(JAVA_INT, allocator.offset(extent));
    }
    findings.same("units of something", allocator.units(), used);
  }
}
