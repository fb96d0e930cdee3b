// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.SavedFile;

/** Memory that keeps account of its pieces, of a store that is to be saved. For one thread. */
final class RecordedMemory implements MemorySource {
  private final MemorySource memory = MemorySource.system();
  private final List<SavedFile.Piece> pieces = new ArrayList<>();

  @Override
  public MemorySegment allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public MemorySegment allocate(long bytes, int tag) {
    MemorySegment piece = memory.allocate(bytes);
    pieces.add(new SavedFile.Piece(tag, piece));
    return piece;
  }

  /** What was taken, in that order. */
  List<SavedFile.Piece> pieces() {
    return pieces;
  }

  @Override
  public long held() {
    return memory.held();
  }

  @Override
  public void checkOpen() {
    memory.checkOpen();
  }

  @Override
  public void close() {
    memory.close();
  }
}
