// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.IndexPages;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.Recovery;
import org.ofi4j.core.store.StoreParts;

/**
 * Compares all that only the writer uses with what is derived from the structures that readers use:
 * counts, free indices, duplicates, and free memory.
 *
 * @param claims the memory that readers use
 * @param derived the counts of all slots
 */
record WriterCheck(StoreParts parts, Claims claims, Findings findings, Recovery derived) {
  /**
   * Compares all of it.
   *
   * @param owner whether a participant, plus 1, is known
   * @param recordBytes bytes of all records that slots name
   */
  void check(IntPredicate owner, long recordBytes) {
    EntryCounts counts = parts.counts();
    findings.same("live entries", counts.live(), derived.live());
    findings.same("entries with slots", counts.slots(), derived.scattered() + derived.reserved());
    findings.same("reservations", counts.reserved(), derived.reserved());
    int most = Math.max(counts.mostLive(), counts.live());
    findings.same("most live entries so far", counts.mostLive(), most);
    Runs runs = parts.runs();
    for (Run run : runs.present().all()) {
      String what = "indices with slots of the run at " + run.first();
      int counted = parts.slots().countUsed(run.first(), run.end());
      findings.same(what, runs.slotCount(run), counted);
    }
    checkFreeIndices();
    checkKeys(owner);
    checkDuplicates();
    checkFreeRecords(recordBytes);
    claims.checkFree();
  }

  private void checkFreeIndices() {
    FreeIndices indices = parts.freeIndices();
    MemorySegment root = claims.allocator.root();
    long tree = root.get(JAVA_LONG, Superblock.FREE_INDICES);
    if (tree != 0 && !FreeIndices.isTree(tree)) {
      findings.add("the root of the free indices is " + Long.toHexString(tree));
      return;
    }
    int before = claims.used;
    int height = FreeIndices.height(tree);
    int size = height > 0 ? FreeIndices.NODE_UNITS : FreeIndices.LEAF_UNITS;
    long[] free = new long[2];
    long summary = tree == 0 ? 0 : summary(height, FreeIndices.unit(tree), size, 0, free);
    long stored = root.get(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY);
    findings.same("the summary of the free indices", stored, summary);
    stored = root.get(JAVA_INT, Superblock.FREE_INDEX_UNITS);
    findings.same("units of free indices", stored, claims.used - before);
    findings.same("indices below the end", indices.end(), derived.end());
    Recovery.Interval interval =
        (from, to) -> {
          free[1] += to - from;
          if (indices.freeEnd(from, to - from) < to) {
            findings.add("not all indices from %s to %s are said to be free".formatted(from, to));
          }
        };
    findings.in("the tree of free indices", () -> derived.forEachFree(interval));
    findings.same("free indices", indices.count(), free[1]);
    findings.same("indices that are said to be free", free[0], free[1]);
  }

  /**
   * Claims a node or leaf of the tree of free indices, and all below it.
   *
   * @param free the number of free indices so far
   * @return the summary
   */
  private long summary(int level, int unit, int size, long first, long[] free) {
    if (!claims.units(unit, size, "the free indices from " + first)) {
      return 0;
    }
    MemorySegment segment = claims.allocator.segment(unit);
    long offset = claims.allocator.offset(unit);
    int words = level > 0 ? FreeIndices.CHILDREN : size * SlabAllocator.UNIT_BYTES;
    long summary = 0;
    for (int i = 0; i < words / Long.BYTES; i++) {
      long word = segment.get(JAVA_LONG, offset + (long) i * Long.BYTES);
      if (level > 0) {
        int child = segment.get(JAVA_INT, offset + FreeIndices.CHILDREN + (long) i * Integer.BYTES);
        int below = level == 1 ? FreeIndices.LEAF_UNITS : FreeIndices.NODE_UNITS;
        long from = first + ((long) i << ((level + 1) * FreeIndices.FAN_BITS));
        long counted = child == 0 ? 0 : summary(level - 1, child, below, from, free);
        findings.same("the summary of the free indices from " + from, word, counted);
        word = counted;
      } else {
        free[0] += Long.bitCount(word);
      }
      summary |= word == 0 ? 0 : 1L << i;
    }
    return summary;
  }

  private void checkKeys(IntPredicate owner) {
    KeySlots keys = parts.keys();
    ByteBuffer cleared = ByteBuffer.wrap(new byte[KeyedHash.FINGERPRINT_BYTES]);
    Map<ByteBuffer, Integer> numbers = new HashMap<>();
    for (int number = 0; number < keys.count(); number++) {
      String what = "key slot " + number;
      findings.same("entries of " + what, keys.entries(number), derived.entriesOf(number));
      boolean used = keys.entries(number) != 0;
      for (int participant = 0; participant < KeySlots.PARTICIPANTS; participant++) {
        boolean isHeld = keys.isHeldBy(number, participant);
        used |= isHeld;
        if (isHeld && !owner.test(participant + 1)) {
          findings.add(what + " is held by participant " + participant + ", who is not there");
        }
      }
      ByteBuffer fingerprint = ByteBuffer.wrap(keys.fingerprint(number));
      if (used == fingerprint.equals(cleared)) {
        findings.add(what + (used ? " is in use without" : " is free, and has") + " a fingerprint");
      }
      Integer other = used ? numbers.put(fingerprint, number) : null;
      if (other != null) {
        findings.add(what + " has the fingerprint of key slot " + other);
      }
    }
  }

  /** Checks heaps of duplicates, which may have several forms; only their roots have cells. */
  private void checkDuplicates() {
    IndexPages pages = parts.heap().pages();
    int[] cells = {derived.scattered()};
    if (claims.pages(pages, "links of duplicates", true)) {
      pages.forEach((unit, units, first, isPage) -> {
        for (int i = 0; isPage && i < 1 << IndexPages.PAGE_BITS; i++) {
          cells[0] -= parts.heap().field(first + i, DuplicateHeap.PARENT) == 0 ? 0 : 1;
          if (!isDuplicate(first + i)) {
            findings.add("index " + (first + i) + " has a wrong place among duplicates");
          }
        }
        return true;
      });
    }
    findings.same("addresses with cells", parts.cells().presentCount(), cells[0]);
  }

  private boolean isDuplicate(int index) {
    DuplicateHeap heap = parts.heap();
    int left = heap.field(index, DuplicateHeap.LEFT);
    int right = heap.field(index, DuplicateHeap.RIGHT);
    int parent = heap.field(index, DuplicateHeap.PARENT);
    int rank = heap.field(index, DuplicateHeap.RANK);
    int ofRight = heap.field(right - 1, DuplicateHeap.RANK);
    if (rank == 0) {
      return (left | right | parent) == 0;
    }
    return rank == ofRight + 1
        && ofRight <= heap.field(left - 1, DuplicateHeap.RANK)
        && (left == 0 || (left > index + 1 && isLink(left, DuplicateHeap.PARENT, index)))
        && (right == 0 || (right > index + 1 && isLink(right, DuplicateHeap.PARENT, index)))
        && (parent == 0
            || isLink(parent, DuplicateHeap.LEFT, index)
            || isLink(parent, DuplicateHeap.RIGHT, index));
  }

  private boolean isLink(int from, int field, int to) {
    return parts.heap().field(from - 1, field) == to + 1;
  }

  private void checkFreeRecords(long recordBytes) {
    SlabAllocator allocator = claims.allocator;
    AddressRecords records = new AddressRecords(allocator);
    for (int sizeClass = 0; sizeClass < AddressRecords.CLASSES; sizeClass++) {
      int bytes = AddressRecords.stride(sizeClass);
      Supplier<String> what = () -> "a free record of " + bytes + " bytes";
      long place = allocator.root().get(JAVA_LONG, AddressRecords.list(sizeClass));
      while (place != 0 && claims.words(place, bytes / Long.BYTES, what)) {
        MemorySegment record = allocator.segment(AddressRecords.unit(place));
        place = record.get(JAVA_LONG, records.offset(place) + AddressRecords.LINK);
      }
    }
    findings.same("bytes of records", records.usedBytes(), recordBytes);
  }
}
