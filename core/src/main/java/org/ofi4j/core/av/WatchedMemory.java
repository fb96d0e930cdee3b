// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.MemorySource;

/** Memory of a vector that no other process has; it tells when it grows. */
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
