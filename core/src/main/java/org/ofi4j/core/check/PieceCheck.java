// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.SlotPages;

/** Checks the table of pieces of a file of entries, which may have anything. */
public final class PieceCheck {
  /** Slabs are at most 64 GiB, and pages those of all indices, 64 at a time at worst. */
  private static final int MOST_PIECES = 1 << 26;

  private PieceCheck() {}

  /**
   * Checks the table.
   *
   * @return the end of the last piece; 0 if something is wrong, so that pieces cannot be read
   */
  public static long end(VectorFile file, Findings findings) {
    int pieces = file.pieces();
    if (pieces < 1 || pieces > MOST_PIECES) {
      findings.add("the file of entries has " + pieces + " pieces");
      return 0;
    }
    NavigableMap<Long, Long> positions = new TreeMap<>();
    NavigableMap<Long, Long> indices = new TreeMap<>();
    int slabs = 0;
    try {
      for (int piece = 0; piece < pieces; piece++) {
        int tag = file.tag(piece);
        int slab = SlabAllocator.slabOf(tag);
        boolean isNew =
            slab < 0
                ? SlotPages.isPage(tag)
                    && add(indices, SlotPages.firstOf(tag), SlotPages.slotsOf(tag))
                : slab == slabs++;
        if (!isNew) {
          findings.add("piece " + piece + " has tag " + tag);
          return 0;
        }
        long bytes = slab < 0 ? SlotPages.bytesOf(tag) : SlabAllocator.slabBytes(slab);
        file.piece(piece, bytes);
        if (!add(positions, file.position(piece), bytes)) {
          findings.add("piece " + piece + " lies in another one");
          return 0;
        }
      }
    } catch (FabricException damaged) {
      findings.add(String.valueOf(damaged.getMessage()));
      return 0;
    }
    if (slabs == 0) {
      findings.add("the file of entries has no root");
      return 0;
    }
    return positions.lastEntry().getValue();
  }

  /** Adds an interval to disjoint ones, by their starts; returns whether it overlaps none. */
  private static boolean add(NavigableMap<Long, Long> ends, long start, long length) {
    Map.Entry<Long, Long> before = ends.lowerEntry(start + length);
    ends.put(start, start + length);
    return before == null || before.getValue() <= start;
  }
}
