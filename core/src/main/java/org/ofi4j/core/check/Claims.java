// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What every word of eight bytes of a {@link SlabAllocator} is used for, as found by who looks at
 * everything: once, and by one thing. So a list or tree that leads back to itself ends, too.
 */
final class Claims {
  private static final int WORDS_PER_UNIT = SlabAllocator.UNIT_BYTES / Long.BYTES;

  /** Bits of the number of a word in its slab. */
  private static final int SLAB_UNITS = SlabAllocator.MAX_UNITS;

  private final SlabAllocator allocator;
  private final Findings findings;
  private final List<BitSet> slabs = new ArrayList<>();

  Claims(SlabAllocator allocator, Findings findings) {
    this.allocator = allocator;
    this.findings = findings;
  }

  /** The memory that is looked at. */
  SlabAllocator allocator() {
    return allocator;
  }

  /** What was found to be wrong so far. */
  Findings findings() {
    return findings;
  }

  /**
   * Claims units.
   *
   * @param unit the first, which may be any number
   * @return false if they are not in memory, or something else's; that is noted
   */
  boolean units(int unit, int units, String what) {
    return words((long) unit * WORDS_PER_UNIT, units * WORDS_PER_UNIT, what);
  }

  /**
   * Claims words.
   *
   * @param place the first: its unit * 8, and which word of the unit
   * @return false if they are not in memory, or something else's; that is noted
   */
  boolean words(long place, int count, String what) {
    long last = (place + count - 1) / WORDS_PER_UNIT;
    long first = place / WORDS_PER_UNIT;
    if (place < 0
        || count <= 0
        || last > Integer.MAX_VALUE
        || !allocator.has((int) first, (int) (last - first + 1))) {
      findings.add(what + " is at unit " + first + ", which is not in memory");
      return false;
    }
    int slab = (int) (first / SLAB_UNITS);
    while (slabs.size() <= slab) {
      slabs.add(new BitSet());
    }
    int from = (int) (place - (long) slab * SLAB_UNITS * WORDS_PER_UNIT);
    BitSet taken = slabs.get(slab);
    int next = taken.nextSetBit(from);
    if (next >= 0 && next < from + count) {
      findings.add(what + " is at unit " + first + ", where something else is");
      return false;
    }
    taken.set(from, from + count);
    return true;
  }

  /** Whether nothing has claimed any of successive words, all of which are in memory. */
  boolean isFree(long place, int count) {
    long unit = place / WORDS_PER_UNIT;
    int slab = (int) (unit / SLAB_UNITS);
    if (!allocator.has((int) unit, 1) || slab >= slabs.size()) {
      return false;
    }
    int from = (int) (place - (long) slab * SLAB_UNITS * WORDS_PER_UNIT);
    int next = slabs.get(slab).nextSetBit(from);
    return from + count <= SlabAllocator.slabUnits(slab) * WORDS_PER_UNIT
        && (next < 0 || next >= from + count);
  }

  /** Whether something has claimed a word of a unit. */
  boolean isUsed(int unit) {
    int slab = unit / SLAB_UNITS;
    int from = unit % SLAB_UNITS * WORDS_PER_UNIT;
    boolean used = false;
    // The next claim may be far away.
    for (int word = from; slab < slabs.size() && !used && word < from + WORDS_PER_UNIT; word++) {
      used = slabs.get(slab).get(word);
    }
    return used;
  }

  /** Claims free memory, and compares all claims with what there is. */
  void checkFree() {
    MemorySegment root = allocator.root();
    long free = root.get(JAVA_INT, Superblock.NEXT_UNITS);
    if (free != 0) {
      units(root.get(JAVA_INT, Superblock.NEXT_UNIT), (int) free, "the next unit");
    }
    for (int sizeClass = 0; SlabAllocator.size(sizeClass) <= SlabAllocator.MAX_UNITS; sizeClass++) {
      int size = SlabAllocator.size(sizeClass);
      int block = root.get(JAVA_INT, SlabAllocator.freeList(sizeClass));
      while (block != 0 && units(block, size, "a free block of " + size + " units")) {
        free += size;
        block = allocator.segment(block).get(JAVA_INT, allocator.offset(block));
      }
    }
    int extent = root.get(JAVA_INT, Superblock.FREE_EXTENTS);
    while (extent != 0 && units(extent, 1, "a free extent")) {
      MemorySegment segment = allocator.segment(extent);
      int more = segment.get(JAVA_INT, allocator.offset(extent) + Integer.BYTES) - 1;
      if (!units(extent + 1, more, "a free extent of " + more + " more units")) {
        break;
      }
      free += 1 + more;
      extent = segment.get(JAVA_INT, allocator.offset(extent));
    }
    long all = allocator.units();
    findings.same(
        "units in use",
        allocator.usedBytes() / SlabAllocator.UNIT_BYTES,
        all - free - Superblock.UNITS);
    findings.same("units of something", all, used());
  }

  /** How many units have something. */
  private long used() {
    long used = 0;
    for (int slab = 0; slab < slabs.size(); slab++) {
      for (int i = 0; i < SlabAllocator.slabUnits(slab); i++) {
        used += isUsed(slab * SLAB_UNITS + i) ? 1 : 0;
      }
    }
    return used;
  }
}
