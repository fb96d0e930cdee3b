package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;

/**
 * Memory of a vector that tells when it grows.
 *
 * @param memory where it comes from
 * @param events who is told
 */
record WatchedMemory(MemorySource memory, VectorEvents events) implements MemorySource {
  @Override
  public MemorySegment allocate(long bytes) {
    MemorySegment piece = memory.allocate(bytes);
    events.growth(bytes, memory.held());
    return piece;
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
