package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.share.SavedFile;

/**
 * Memory that begins as a copy of a saved vector, which the store makes when it is made: the file
 * is of no use to it afterwards.
 *
 * @param memory where memory comes from; closed with this
 * @param file what to begin with
 */
record CopiedMemory(MemorySource memory, SavedFile file) implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public TakenPieces begun() {
    TakenPieces saved = SavedMemory.pieces(file);
    return new TakenPieces() {
      @Override
      public int pieces() {
        return saved.pieces();
      }

      @Override
      public int tag(int piece) {
        return saved.tag(piece);
      }

      @Override
      public MemorySegment piece(int piece, long bytes) {
        MemorySegment copy = memory.allocate(bytes);
        return copy.copyFrom(saved.piece(piece, bytes));
      }
    };
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
