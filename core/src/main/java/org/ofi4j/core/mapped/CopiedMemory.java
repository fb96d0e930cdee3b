// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.AllocatedPieces;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.SavedFile;

/**
 * Memory that begins as a copy of a saved vector. The file is of no use once the store is made.
 *
 * @param memory where more memory comes from; closed with this
 * @param file what is copied, which tells where pieces are
 * @param copy all bytes of the file
 */
record CopiedMemory(MemorySource memory, SavedFile file, MemorySegment copy)
    implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public AllocatedPieces begun() {
    AllocatedPieces saved = SavedMemory.pieces(file);
    return new AllocatedPieces() {
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
        return copy.asSlice(file.position(piece, bytes), bytes, SavedFile.ALIGNMENT);
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
