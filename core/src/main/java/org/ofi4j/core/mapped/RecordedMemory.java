// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.share.SavedFile;

/** Memory that keeps account of what was taken, of a store that is to be saved. For one thread. */
final class RecordedMemory extends ArenaMemory {
  private final List<SavedFile.Piece> taken = new ArrayList<>();

  RecordedMemory() {
    super(Long.MAX_VALUE);
  }

  @Override
  public MemorySegment allocate(long bytes, int tag) {
    MemorySegment piece = allocate(bytes);
    taken.add(new SavedFile.Piece(tag, piece));
    return piece;
  }

  /** Its pieces, in the order in which they were taken. */
  List<SavedFile.Piece> taken() {
    return taken;
  }
}
