// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.VectorFile;

/** Memory from a mapped file that other processes map too. */
record NamedMemory(VectorFile file) implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    throw new IllegalStateException("memory of several processes is taken for something");
  }

  @Override
  public MemorySegment allocate(long bytes, int tag) {
    return file.allocate(bytes, tag);
  }

  @Override
  public void count() {
    file.count();
  }

  @Override
  public boolean isMapped() {
    return true;
  }

  @Override
  public boolean isShared() {
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
    return file.isOpen() ? file.used() : 0;
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
