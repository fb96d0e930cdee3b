// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.AllocatedPieces;
import org.ofi4j.core.memory.MemorySource;

/** Memory of a vector that tells when it grows. */
record WatchedMemory(MemorySource memory, VectorEvents events) implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    MemorySegment piece = memory.allocate(bytes);
    events.growth(bytes, memory.held());
    return piece;
  }

  @Override
  public MemorySegment allocate(long bytes, int tag) {
    MemorySegment piece = memory.allocate(bytes, tag);
    events.growth(bytes, memory.held());
    return piece;
  }

  @Override
  public void count() {
    memory.count();
  }

  @Override
  public @Nullable AllocatedPieces shared() {
    return memory.shared();
  }

  @Override
  public @Nullable AllocatedPieces begun() {
    return memory.begun();
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
