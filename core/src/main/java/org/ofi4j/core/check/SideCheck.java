// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.SideRecordMemory;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.store.StoreParts;

/** Looks at all side records ({@link SideRecords}), whatever their memory has. */
final class SideCheck extends MemoryCheck {
  private static final int WORDS = SideRecordMemory.BYTES / Long.BYTES;

  private final StoreParts parts;
  private final SideRecordMemory memory;
  private final Map<Integer, Integer> byIndex = new HashMap<>();
  private final Set<Integer> duplicates = new HashSet<>();

  SideCheck(StoreParts parts, Claims claims, boolean whole) {
    super(claims, whole);
    this.parts = parts;
    this.memory = new SideRecordMemory(allocator);
  }

  /** Looks at a record by its number, as a cell has it. */
  void check(int record) {
    String what = "side record " + record;
    if (!memory.has(record) || record < 0) {
      findings.add(what + " is not in memory");
      return;
    }
    int index = memory.get(record, SideRecords.INDEX);
    if ((memory.get(record, SideRecordMemory.VERSION) & 1) != 0) {
      // Its cell goes before it is free; what is on its way there is only seen after a death.
      if (whole) {
        findings.add(what + " of index " + index + " is free, and has a cell");
      }
      return;
    }
    if (!claims.words(SideRecordMemory.place(record), WORDS, what + " of index " + index)) {
      return;
    }
    if (byIndex.put(index, record) != null) {
      findings.add("index " + index + " has several side records");
    }
    if (parts.side().isDuplicateRecord(record)) {
      duplicates.add(record);
    }
  }

  /** Whether an index has a record, as far as was looked. */
  boolean has(int index) {
    return byIndex.containsKey(index);
  }

  /** Looks at what records belong to, after all of them were seen. */
  void checkOwners() {
    byIndex.forEach((index, record) -> {
      long word = parts.slots().word(index);
      boolean inRun = word == 0 && parts.runEntries().isLive(index);
      if (whole && !inRun && !SlotWord.hasSide(word)) {
        findings.add(
            "side record " + record + " is of index " + index + ", which says nothing of it");
      }
      if (parts.side().record(index) != record) {
        findings.add("side record " + record + " of index " + index + " is not found");
      } else if (SlotWord.isLive(word)
          && SlotWord.hasSide(word)
          && !isOfGeneration(word, parts.side().generation(index))) {
        findings.add(
            "side record " + record + " is not of the generation that index " + index + " has");
      }
    });
  }

  private static boolean isOfGeneration(long live, long generation) {
    return SlotWord.withGenerationOf(0, live) == SlotWord.withGeneration(0, generation);
  }

  /** Claims the records that are free. */
  void checkFree() {
    int free = allocator.root().get(JAVA_INT, Superblock.SIDE_FREE);
    while (free != 0) {
      int record = free - 1;
      if (!memory.has(record)
          || !claims.words(SideRecordMemory.place(record), WORDS, "free side record " + record)) {
        findings.add("the list of free side records leads to " + record);
        return;
      }
      if ((memory.get(record, SideRecordMemory.VERSION) & 1) == 0) {
        findings.add("free side record " + record + " has an even version");
      }
      free = memory.get(record, SideRecordMemory.NEXT_FREE);
    }
  }

  /** Looks at the heaps of entries with one address; how many are in them and not their roots. */
  int checkHeaps() {
    int below = 0;
    for (int record : duplicates) {
      int index = memory.get(record, SideRecords.INDEX);
      int left = child(record, SideRecords.LEFT);
      int right = child(record, SideRecords.RIGHT);
      int rank = right == 0 ? 0 : parts.side().rank(right - 1) + 1;
      int leftRank = left == 0 ? -1 : parts.side().rank(left - 1);
      if (rank != parts.side().rank(record) || leftRank < rank - 1) {
        findings.add("side record " + record + " of index " + index + " has a wrong rank");
      }
      if (memory.get(record, SideRecords.PARENT) != 0) {
        below++;
        int parent = memory.get(record, SideRecords.PARENT) - 1;
        if (!duplicates.contains(parent)
            || (child(parent, SideRecords.LEFT) != record + 1
                && child(parent, SideRecords.RIGHT) != record + 1)) {
          findings.add("side record " + record + " of index " + index + " has a wrong parent");
        }
      }
    }
    return below;
  }

  private int child(int record, int which) {
    int link = memory.get(record, which);
    if (link == 0) {
      return 0;
    }
    int index = memory.get(record, SideRecords.INDEX);
    if (!duplicates.contains(link - 1)
        || memory.get(link - 1, SideRecords.PARENT) != record + 1
        || memory.get(link - 1, SideRecords.INDEX) <= index) {
      findings.add("side record " + record + " of index " + index + " has a wrong link");
      return 0;
    }
    return link;
  }
}
