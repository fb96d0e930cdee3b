// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntConsumer;
import org.ofi4j.core.hash.Bucket;
import org.ofi4j.core.hash.Directory;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.PartitionSizes;
import org.ofi4j.core.hash.PartitionWord;
import org.ofi4j.core.hash.Partitions;
import org.ofi4j.core.memory.SlabAllocator;

/** Looks at all of a table of {@link HashTable}, whatever its memory has. */
final class CellCheck extends MemoryCheck {
  private static final long UNITS = HashTable.PARTITIONS + Partitions.UNITS;
  private static final long FREE = HashTable.PARTITIONS + Partitions.FREE;

  private final String name;
  private final long at;
  private final IntConsumer numbers;
  private final Set<Integer> partitions = new HashSet<>();

  /** Cells of a partition with a number. */
  private int live;

  /** The same, and those whose entry was removed. */
  private int taken;

  private long used;
  private long units;

  /**
   * For one table.
   *
   * @param at where its words are in the root
   * @param numbers takes the number of each cell in use
   */
  CellCheck(String name, long at, Claims claims, boolean whole, IntConsumer numbers) {
    super(claims, whole);
    this.name = name;
    this.at = at;
    this.numbers = numbers;
  }

  /** Looks at the table; whether searches can be made in it. */
  boolean check() {
    MemorySegment root = allocator.root();
    boolean sound = checkDirectories(root);
    long rootWord = root.get(JAVA_LONG, at);
    if (sound && rootWord != 0) {
      Directory directory = new Directory(allocator, rootWord);
      int places = 1 << directory.depth();
      for (int place = 0; place < places; ) {
        int partition = directory.partition(place);
        int next = place + 1;
        while (next < places && partition != 0 && directory.partition(next) == partition) {
          next++;
        }
        sound &= partition == 0 || checkPartition(directory, place, next - place, partition);
        place = next;
      }
    }
    if (whole) {
      int free = root.get(JAVA_INT, at + FREE);
      while (free != 0 && claims.units(free, 1, "a free partition of " + name)) {
        free = allocator.segment(free).get(JAVA_INT, allocator.offset(free) + PartitionWord.LINK);
      }
      findings.same("units of " + name, root.get(JAVA_INT, at + UNITS), units);
      int stored =
          root.get(JAVA_INT, at + HashTable.COUNT) + root.get(JAVA_INT, at + HashTable.TOMBSTONES);
      findings.same("cells of " + name, stored, used);
    }
    return sound;
  }

  /** Claims all directories that there were; whether the one in use is among them. */
  private boolean checkDirectories(MemorySegment root) {
    long rootWord = root.get(JAVA_LONG, at);
    int list = root.get(JAVA_INT, at + HashTable.DIRECTORIES);
    boolean found = rootWord == 0;
    if (list != 0 && claims.units(list, 1, "the list of directories of " + name)) {
      for (int depth = 1; depth <= PartitionWord.MAX_DEPTH; depth++) {
        long offset = allocator.offset(list) + Directory.listOffset(depth);
        int unit = allocator.segment(list).get(JAVA_INT, offset);
        if (unit != 0) {
          int size = SlabAllocator.sizeOf(Directory.units(depth));
          boolean there =
              claims.units(unit, size, "the directory of depth " + depth + " of " + name);
          found |= there && Directory.rootWord(depth, unit) == rootWord;
        }
      }
    }
    if (!found) {
      findings.add(name + " have directory " + Long.toHexString(rootWord) + ", which is none");
    }
    return found;
  }

  private boolean covers(String what, Directory directory, int place, int partition) {
    long word = allocator.segment(partition).get(JAVA_LONG, allocator.offset(partition));
    if (!PartitionWord.covers(word, (long) place << -directory.depth())) {
      findings.add(what + " does not cover it: " + Long.toHexString(word));
      return false;
    }
    return true;
  }

  private boolean checkPartition(Directory directory, int place, int places, int partition) {
    String what = "the partition at place " + place + " of " + name;
    if (!whole && partitions.contains(partition)) {
      // A part of the places of what is being split.
      return covers(what, directory, place, partition);
    }
    partitions.add(partition);
    if (!claims.units(partition, 1, what)) {
      return false;
    }
    long word = allocator.segment(partition).get(JAVA_LONG, allocator.offset(partition));
    int depth = PartitionWord.depth(word);
    boolean fits = depth > 0 && depth <= directory.depth() && directory.first(word) == place;
    // The upper half of one that was split goes to its places before the lower one says so.
    boolean all = fits && places == 1 << (directory.depth() - depth);
    if (fits ? whole && !all : whole) {
      findings.add(what + " has " + places + " places, and word " + Long.toHexString(word));
    }
    if (!covers(what, directory, place, partition)) {
      return false;
    }
    int blocks = PartitionWord.blocks(word);
    int cellBits = PartitionWord.cellBits(word);
    if (blocks > 0 && (cellBits < Bucket.CELL_BITS || cellBits > PartitionSizes.LAST_CELL_BITS)) {
      findings.add(what + " has blocks of 2^" + cellBits + " cells");
      return false;
    }
    live = 0;
    taken = 0;
    for (int i = 0; i < blocks; i++) {
      int unit =
          allocator
              .segment(partition)
              .get(JAVA_INT, allocator.offset(partition) + PartitionWord.blockOffset(word, i));
      int size = PartitionWord.blockUnits(word);
      units += size;
      if (!claims.units(unit, size, "block " + i + " of " + what)) {
        return false;
      }
      checkBlock(unit, word, what);
    }
    used += live;
    units += blocks > 0 ? 1 : 0;
    if (whole && fits) {
      int size = PartitionSizes.size(cellBits, blocks);
      int fraction = PartitionSizes.fraction(place, directory.depth());
      int room = blocks == 0 ? 0 : PartitionSizes.limit(size, fraction) - taken;
      findings.same("cells of " + what, directory.live(place), live);
      findings.same("room of " + what, directory.room(place), room);
    }
    return true;
  }

  private void checkBlock(int unit, long word, String what) {
    int mask = PartitionWord.numberMask(PartitionWord.indexBits(word));
    MemorySegment segment = allocator.segment(unit);
    int free = 0;
    for (int cell = 0; cell < 1 << PartitionWord.cellBits(word); cell++) {
      int value = segment.get(JAVA_INT, allocator.offset(unit) + (long) cell * Integer.BYTES);
      free = (cell % Bucket.CELLS == 0 ? 0 : free) + (value == 0 ? 1 : 0);
      if (value == 0) {
        continue;
      }
      if (cell % Bucket.CELLS == Bucket.CELLS - 1 && free > 0) {
        // A search would end at another bucket than insertion.
        findings.add(what + " has a free cell before the last one, which is in use: " + cell);
      }
      taken++;
      if ((value & mask) != 0) {
        live++;
        numbers.accept((value & mask) - 1);
      } else if (value != PartitionWord.REMOVED) {
        findings.add(what + " has cell " + Integer.toHexString(value));
      }
    }
  }
}
