// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.SavedFile;

/**
 * The memory of a saved vector that is only read: a mapped file.
 *
 * @param file the file, closed with the memory
 */
record SavedMemory(SavedFile file) implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    throw new IllegalStateException("a saved vector that is only read takes no memory");
  }

  @Override
  public boolean isMapped() {
    return true;
  }

  @Override
  public int pieces() {
    return file.pieces();
  }

  @Override
  public int tag(int piece) {
    return file.tag(piece);
  }

  @Override
  public MemorySegment piece(int piece, long bytes) {
    return file.piece(piece, bytes);
  }

  @Override
  public long held() {
    return file.isOpen() ? file.bytes() : 0;
  }

  @Override
  public void checkOpen() {
    if (!file.isOpen()) {
      throw new IllegalStateException("the address vector's file is closed");
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
