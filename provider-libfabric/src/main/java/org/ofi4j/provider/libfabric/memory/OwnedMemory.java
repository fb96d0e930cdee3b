// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * Memory outside the heap that lives as long as the object that owns it. It is closed once, however
 * often the owner is: a close that lacked memory runs again from its beginning. Any thread may
 * access the memory; the owner's lock guards closing.
 */
public final class OwnedMemory implements SegmentAllocator, AutoCloseable {
  private final Arena arena = Arena.ofShared();

  @Override
  public MemorySegment allocate(long bytes, long alignment) {
    return arena.allocate(bytes, alignment);
  }

  /** Frees all of it, unless that has happened. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
