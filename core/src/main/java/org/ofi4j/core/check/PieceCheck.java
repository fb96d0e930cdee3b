// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.SlotPages;

/** Looks at the table of pieces of a file of entries, whatever it has. */
public final class PieceCheck {
  /** Slabs are at most 64 GiB, and pages those of all indices, 256 at a time at worst. */
  private static final int MOST_PIECES = 1 << 24;

  /** Where a piece lies. */
  private record Extent(long start, long end, int piece) {}

  private final VectorFile file;
  private final Findings findings;
  private long end;

  public PieceCheck(VectorFile file, Findings findings) {
    this.file = file;
    this.findings = findings;
  }

  /** Returns where the last piece ends, once all were looked at. */
  public long end() {
    return end;
  }

  /** Looks at the table; whether pieces can be looked at. */
  public boolean check() {
    int pieces = file.pieces();
    if (pieces < 1 || pieces > MOST_PIECES) {
      findings.add("the file of entries has " + pieces + " pieces");
      return false;
    }
    List<Extent> extents = new ArrayList<>();
    BitSet paged = new BitSet();
    int slabs = 0;
    try {
      for (int piece = 0; piece < pieces; piece++) {
        int tag = file.tag(piece);
        int slab = SlabAllocator.slabOf(tag);
        boolean isSlab = slab >= 0;
        if (isSlab ? slab != slabs : !isNewPage(tag, paged)) {
          findings.add("piece " + piece + " has tag " + tag);
          return false;
        }
        slabs += isSlab ? 1 : 0;
        long bytes = isSlab ? SlabAllocator.slabBytes(slab) : SlotPages.bytesOf(tag);
        long start = file.position(piece);
        file.piece(piece, bytes);
        extents.add(new Extent(start, start + bytes, piece));
      }
    } catch (FabricException damaged) {
      findings.add(String.valueOf(damaged.getMessage()));
      return false;
    }
    if (slabs == 0) {
      findings.add("the file of entries has no root");
      return false;
    }
    extents.sort(Comparator.comparingLong(Extent::start));
    end = extents.getLast().end;
    boolean sound = true;
    for (int i = 1; i < extents.size(); i++) {
      if (extents.get(i).start < extents.get(i - 1).end) {
        findings.add(
            "piece " + extents.get(i).piece + " lies in piece " + extents.get(i - 1).piece);
        sound = false;
      }
    }
    return sound;
  }

  /**
   * Whether a tag is that of a page, none of whose indices has another one.
   *
   * @param paged what has a page, 64 indices a bit; this page's bits are added
   */
  private static boolean isNewPage(int tag, BitSet paged) {
    if (!SlotPages.isPage(tag)) {
      return false;
    }
    int from = SlotPages.firstOf(tag) / SlotPages.LEAST;
    int to = from + SlotPages.slotsOf(tag) / SlotPages.LEAST;
    int taken = paged.nextSetBit(from);
    paged.set(from, to);
    return taken < 0 || taken >= to;
  }
}
